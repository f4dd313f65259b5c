"""The small pieces: imports that are watched, values shown once, completions, tails, kernels that are refused."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ipykernel
import pytest

from jupyter_agenttools.core import Decision, DecisionStep, ToolUse, build_tool
from jupyter_agenttools.core.updates import CallFinished, TextDelta, ToolUseReady, TurnEnded
from jupyter_agenttools.core.views import CodeBlockView, TextBlockView, ToolView
from jupyter_agenttools.notebook.agent_story import TurnStory
from jupyter_agenttools.notebook.completer import MAGIC_LINE
from jupyter_agenttools.notebook.completions import for_tool
from jupyter_agenttools.notebook.errors import UnsupportedKernelError
from jupyter_agenttools.notebook.extension import check_kernel
from jupyter_agenttools.notebook.formatters import decision_text
from jupyter_agenttools.notebook.shown import ShownValues
from jupyter_agenttools.notebook.watcher import TAIL_CHARS, TAIL_LINES, RunningCall, progress_html
from jupyter_agenttools.notebook.when_imported import when_imported
from tests.support.completing import next_words


async def _call(input: Any, context: Any) -> str:
    return ""


SCHEMA = {"type": "object", "properties": {"file_path": {"type": "string"}, "limit": {"type": "integer"}}}
READ = build_tool(name="Read", aliases=("FileRead",), call=_call, input_json_schema=SCHEMA)


def test_a_module_is_watched_until_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("watched_one", "watched_two"):
        (tmp_path / f"{name}.py").write_text("value = 1")
    finders, seen = list(sys.meta_path), []
    when_imported("watched_one", lambda: seen.append(sys.modules["watched_one"].value))
    undo = when_imported("watched_two", lambda: seen.append("never"))
    __import__("watched_one")
    undo()
    undo()
    __import__("watched_two")
    assert seen == [1] and sys.meta_path == finders
    when_imported("watched_one", lambda: seen.append("at once"))
    assert seen == [1, "at once"]


def test_a_value_is_passed_over_once() -> None:
    shown, value = ShownValues(), [1]
    shown.add(value)
    assert not shown.take([1]) and shown.take(value) and not shown.take(value)
    shown.add(value)
    shown.clear()
    assert not shown.take(value)


@pytest.mark.parametrize(
    ("line", "groups"),
    [
        ("%tool Re", ("", "tool", "Re")),
        ("x = %tool ", ("", "tool", "")),
        ("a, b['c'] = %agent st", ("", "agent", "st")),
        ("  %%tool Bash ", ("%", "tool", "Bash ")),
        ("%tool", None),
        ("%tools x", None),
        ("print('%tool x')", None),
    ],
)
def test_which_lines_are_completed(line: str, groups: tuple[str, ...] | None) -> None:
    match = MAGIC_LINE.match(line)
    assert (match and (match["cell"], match["magic"], match["rest"])) == groups


def test_words_that_may_come_next() -> None:
    def after(*before: str, word: str = "") -> list[str]:
        return for_tool([*before], word, [READ], "/")

    assert "Read" in after() and "--explain" in after()
    assert "--explain" not in after("--explain") and "Read" in after("--explain")
    assert after("FileRead") == ["file_path=", "limit=", "--help", "--json"]
    assert after("Read", "limit=3") == ["file_path="]
    assert after("Read", "some", "text") == [] and after("Nope") == []
    assert after("Read", word="limit=") == [] and "file_path=tmp/" in after("Read", word="file_path=tm")
    assert "approve" in next_words([]) and "approve" not in next_words([], in_cell=True)
    assert next_words(["approve"]) == []


@pytest.mark.parametrize(
    ("version", "refused"),
    [((6, 28, 0), True), ((6, 29, 5), False), ((6, 31, 0), False), ((7, 0, 1), True), ((7, 1, 0), False)],
)
def test_kernels_that_cannot_work_are_refused(
    version: tuple[int, ...], refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ipykernel, "version_info", version)
    check_kernel(SimpleNamespace())
    if not refused:
        check_kernel(SimpleNamespace(kernel=object()))
        return
    with pytest.raises(UnsupportedKernelError, match=r"Install ipykernel>=7\.4") as caught:
        check_kernel(SimpleNamespace(kernel=object()))
    assert len(caught.value._render_traceback_()) == 1 and "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [CodeBlockView, TextBlockView])
def test_progress_shows_a_bounded_tail(kind: Any) -> None:
    tool = build_tool(
        name="loud",
        call=_call,
        input_json_schema={},
        render_progress=lambda text: ToolView("loud", blocks=(kind(text),)),
    )
    text = "\n".join(f"<line {n}>" for n in range(100_000))
    html = progress_html(RunningCall(ToolUse("loud"), tool, 0.0, text), 2.0)
    assert "line 99999" in html and "line 5&" not in html and "<line" not in html
    assert len(html) < 10 * TAIL_CHARS and html.count("\n") < TAIL_LINES + 20


def test_the_story_of_a_turn() -> None:
    use, story = ToolUse("Read", {}), TurnStory()
    outcome: Any = SimpleNamespace(tool_use=use)
    for update in (TextDelta("I "), TextDelta("look."), ToolUseReady(use), ToolUseReady(ToolUse("Read"))):
        story.take(update)
    story.take(CallFinished(outcome))
    story.take(TurnEnded("end_turn", "Done."))
    assert story.finished_parts == ["I look.", outcome] and story.ended == TurnEnded("end_turn", "Done.")


def test_a_decision_in_words() -> None:
    steps = (DecisionStep("deny-rules", "passthrough"), DecisionStep("mode", "ask", "asks for it", "Bash [session]"))
    text = decision_text(Decision("ask", "no rule", None, steps, "mode", ("Bash(ls)",)))
    assert text.splitlines() == [
        "ask: no rule",
        "  1. deny-rules: passthrough",
        "  2. mode: ask - asks for it  [Bash [session]]",
        "  would be allowed by: Bash(ls)",
    ]
    again = (DecisionStep("person", "ask", "no rule allows it; Bash(ls) would"),)
    text = decision_text(Decision("ask", "no rule allows it; Bash(ls) would", None, again, "", ("Bash(ls)",)))
    assert text.splitlines() == ["ask: no rule allows it; Bash(ls) would", "  1. person: ask"]
