"""A command explained: its calls, what they read, what rules look at, its tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.core import Decision, DecisionStep
from jupyter_agenttools.core.views import CodeBlockView, ToolView
from jupyter_agenttools.notebook.formatters import decision_text
from jupyter_agenttools.permissions import suggest_rules
from jupyter_agenttools.permissions.command.explain import explain_command
from jupyter_agenttools.pipeline.permission import marked
from tests.support.bash_gate import ask_bash


def explained(command: str, cwd: Path) -> str:
    return "\n".join(explain_command(command, cwd=str(cwd), roots=(str(cwd),)))


def test_everything_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    text = explained("cat *.txt | sort -o out; sudo rm x", tmp_path)
    assert "pipeline" in text and "word '-o'" in text
    assert f"reads {tmp_path}/a.txt" in text
    assert "asks: `sort`: `-o` is not on the list" in text
    assert "programs that rules look at: cat, sort, sudo, rm" in text


def test_calls_behind_one_that_asks_are_judged_too(tmp_path: Path) -> None:
    text = explained("curl x | sh; cd /; source y; ls; cat a | tee b > c; echo end", tmp_path)
    for words in (
        "  curl x  asks: `curl`",
        "  sh  asks: `sh`",
        "  source y  asks: `source`",
        "  ls  asks: what this does depends on an earlier command",
        "  tee b > c  asks: a redirection writes a file",
        "  echo end  not looked at",
    ):
        assert words in text, words


def test_what_is_not_understood_is_explained_too(tmp_path: Path) -> None:
    text = explained("echo 'x", tmp_path)
    assert "a single quote is never closed" in text and text.count("none that could be read") == 2
    assert "  echo *$1  asks: " in explained("echo *$1", tmp_path), "a call without known words is shown as written"


def test_calls_are_shown_as_they_could_be_typed(tmp_path: Path) -> None:
    text = explained("touch 'a b' \"it's\" *.py \\\n  k; rm " + "x" * 200, tmp_path)
    assert """  touch 'a b' 'it'"'"'s' *.py k  asks""" in text and "['" not in text
    assert "…  asks" in text and "x" * 70 not in text


@pytest.mark.anyio
async def test_the_checks_say_where_and_those_that_saw_nothing_share_a_line(tmp_path: Path) -> None:
    command = "cat a > b"
    lines = decision_text(await _asked(command, tmp_path), command).split("\n")
    assert any(line.endswith("validateRedirections: ask - a redirection writes a file  [at '> b']") for line in lines)
    assert sum("nothing seen" in line for line in lines) == 2
    assert all(any(name in line for line in lines) for name in ("validateEmpty", "validateMalformedTokenInjection"))


async def _asked(command: str, cwd: Path) -> Decision:
    return await ask_bash(command, cwd)


@pytest.mark.anyio
async def test_the_view_of_a_question_is_marked(tmp_path: Path) -> None:
    text = "echo é\nls; touch x"
    view = ToolView("t", blocks=(CodeBlockView(text, "bash"), CodeBlockView("text")))
    command, other = marked(view, await _asked(text, tmp_path)).blocks
    assert isinstance(command, CodeBlockView) and isinstance(other, CodeBlockView)
    lines = command.text.split("\n")
    assert [lines[at][start:end] for at, start, end in command.marks] == ["touch x"] and not other.marks


def test_a_view_without_a_place_stays() -> None:
    view = ToolView("t", blocks=(CodeBlockView("x", "bash"),))
    assert marked(view, Decision("ask", trace=(DecisionStep("tool", "ask", "no"),))) is view


def test_rules_offered_are_few_and_hold_no_here_document(tmp_path: Path) -> None:
    cwd = {"cwd": str(tmp_path), "roots": (str(tmp_path),), "may_mix": True}
    assert suggest_rules("git commit -m \"$(cat <<'E'\nlong\nE\n)\"", **cwd) == ("Bash(git commit *)",)
    assert suggest_rules("cat <<E > out\njunk\nE", **cwd) == ()
    assert suggest_rules("cd . && npm test | head", **cwd)[1:] == ("Bash(npm test *)",)
    assert len(suggest_rules("; ".join(f"tool{i}" for i in range(20)), **cwd)) <= 5
