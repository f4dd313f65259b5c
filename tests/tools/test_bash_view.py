"""What a person sees of a command."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_agenttools.core.views import CodeBlockView, TextBlockView
from jupyter_agenttools.tools.bash import BashOutput, BashProgress, bash_tool

DONE = BashOutput(stdout="one\ntwo\n", exit_code=0, duration_ms=1_234)


@pytest.mark.parametrize("partial", [{}, {"command": None}, {"command": ""}, {"command": 7}, {"description": None}])
def test_an_input_that_still_streams_can_be_shown(partial: dict[str, object]) -> None:
    for density in ("condensed", "verbose", "transcript"):
        assert bash_tool.render_tool_use(partial, density).title.startswith("$")
    assert bash_tool.get_tool_use_summary(partial) == ""
    assert bash_tool.get_activity_description(partial) == "Running a command"


def test_the_title_is_the_first_line_and_the_block_the_whole_command() -> None:
    input = {"command": "make all\nmake check", "description": "Build\nit", "timeout": 5}
    view = bash_tool.render_tool_use(input, "verbose")
    assert view.title == "$ make all…"
    assert view.blocks == (TextBlockView("Build it"), CodeBlockView("make all\nmake check", "bash"))
    assert [badge.text for badge in view.badges] == ["limit 5 ms"]
    assert bash_tool.render_tool_use({"command": "ls"}, "condensed").blocks == ()
    assert bash_tool.get_tool_use_summary({"command": "ls", "description": "List"}) == "List"


def test_a_long_first_line_is_cut_in_the_title_only() -> None:
    view = bash_tool.render_tool_use({"command": "x" * 500}, "verbose")
    assert len(view.title) <= 122 and view.title.endswith("…")
    assert view.blocks == (CodeBlockView("x" * 500, "bash"),)


def test_progress_is_the_tail_with_what_was_left_out() -> None:
    payload = BashProgress("bash-progress-1", "a\nb\n", 1_002, 9_000, 2_500, True)
    view = bash_tool.render_progress(payload)
    assert view.title == "1,002 lines"
    assert [badge.text for badge in view.badges] == ["2.5 s"]
    assert view.blocks == (CodeBlockView("a\nb\n", "terminal", omitted=1_000),)
    assert bash_tool.render_progress(replace(payload, tail="half", total_lines=1)).title == "1 line"
    for is_incomplete, title in ((True, "No output yet"), (False, "No output")):
        silent = bash_tool.render_progress(replace(payload, tail="", is_incomplete=is_incomplete))
        assert (silent.title, silent.blocks) == (title, ())


@pytest.mark.parametrize(
    ("output", "title", "badge", "tone"),
    [
        (DONE, "Output", "exit 0", "ok"),
        (replace(DONE, stdout=""), "No output", "exit 0", "ok"),
        (replace(DONE, exit_code=3), "Exit code 3", "exit 3", "error"),
        (replace(DONE, exit_code=1, return_code_interpretation="no match"), "Exit code 1: no match", "exit 1", "ok"),
        (replace(DONE, exit_code=143, timed_out_after_ms=9), "Timed out", "timed out", "error"),
        (replace(DONE, exit_code=143, interrupted=True), "Interrupted", "interrupted", "warning"),
        (BashOutput("", "Nothing was run: gone"), "No output", "not started", "error"),
    ],
)
def test_the_end_is_in_the_title_and_a_badge(output: BashOutput, title: str, badge: str, tone: str) -> None:
    view = bash_tool.render_result(output, "verbose")
    assert view.title.startswith(title)
    assert (view.badges[0].text, view.badges[0].tone) == (badge, tone)
    ran = [f"ran {output.duration_ms / 1000:.1f} s"] if badge != "not started" else []
    assert [each.text for each in view.badges if each.text.startswith("ran ")] == ran


def test_a_condensed_result_shows_the_end() -> None:
    output = replace(DONE, stdout="".join(f"{n}\n" for n in range(100)))
    (block,) = bash_tool.render_result(output, "condensed").blocks
    assert block == CodeBlockView("\n".join(map(str, range(90, 100))), "terminal", omitted=90)
    (block,) = bash_tool.render_result(output, "verbose").blocks
    assert isinstance(block, CodeBlockView) and block.omitted == 0


def test_notices_are_shown_and_found() -> None:
    output = replace(DONE, stderr="Working directory is now /x", exit_code=2)
    view = bash_tool.render_result(output, "verbose")
    shown = [view.title, *(block.text for block in view.blocks if isinstance(block, (CodeBlockView, TextBlockView)))]
    assert bash_tool.extract_search_text(output) == "\n".join(shown)
    assert bash_tool.extract_search_text(DONE) == "one\ntwo"


def test_refusals_errors_and_groups() -> None:
    refused = bash_tool.render_rejected({"command": "rm x"}, "a rule says no")
    assert refused.title == "$ rm x"
    assert refused.blocks == (CodeBlockView("rm x", "bash"), TextBlockView("a rule says no", tone="warning"))
    assert bash_tool.render_error({}, ValueError("odd")).blocks == (TextBlockView("odd", tone="error"),)
    assert bash_tool.render_grouped is not None
    assert bash_tool.render_grouped(({"command": "ls"}, {"command": "pwd"})).blocks == (
        CodeBlockView("$ ls\n$ pwd", "terminal"),
    )
