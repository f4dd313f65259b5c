"""The record of a call: what it tells, how big it is, and that nothing can keep it from being made."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace

import pytest

from jupyter_agenttools.core.errors import InterruptedToolError, ToolValidationError
from jupyter_agenttools.core.names import TRACE_MIME_TYPE
from jupyter_agenttools.core.views import (
    Badge,
    CodeBlockView,
    ImageBlockView,
    JsonBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
)
from jupyter_agenttools.render import call_record, trace_json, trace_text, view_bundle
from jupyter_agenttools.render.jsonclip import compact, size
from jupyter_agenttools.render.record import MARKDOWN_BYTES, MAX_RECORD_BYTES
from jupyter_agenttools.render.walk import FULL_TRACE_BYTES, TRACE_BYTES
from tests.support.finished_calls import ALLOWED, DENIED, STAGES, finished, shown_tool
from tests.support.markup import Page

OUTPUT = "On branch main\nnothing to commit, working tree clean\n"


def bash(*blocks, badges=(), **fields):
    use = {"render_tool_use": lambda input, density: ToolView(f"Bash {input.get('command', '')}")}
    return shown_tool("Bash", view=ToolView("Bash", badges, blocks), **{**use, **fields})


def ordinary():
    return finished(bash(CodeBlockView(OUTPUT, "terminal")), {"command": "git status"}, OUTPUT)


def without_style(html: str) -> str:
    return re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)


def test_an_ordinary_call_stays_small():
    bundle = call_record(ordinary())
    assert set(bundle) == {"text/html", "text/markdown", "text/plain", TRACE_MIME_TYPE}
    assert len(compact(bundle[TRACE_MIME_TYPE])) <= TRACE_BYTES
    assert len(bundle["text/markdown"].encode()) <= MARKDOWN_BYTES
    assert len(without_style(bundle["text/html"])) - len(OUTPUT) <= 6_000
    assert len(bundle["text/html"]) <= 7_000


def test_the_record_reads_well_in_every_form():
    bundle = call_record(ordinary())
    text = Page(bundle["text/html"]).words
    assert text.startswith("Bash git status ✓ ok 123 ms On branch main nothing to commit")
    assert "9 stages · allowed by rule Bash(git *)" in text
    assert bundle["text/plain"] == (
        "✓ ok  Bash git status  (123 ms)\n  On branch main\n  nothing to commit, working tree clean"
    )
    assert bundle["text/markdown"] == (
        "**✓ ok** · `Bash git status` · `allowed by rule Bash(git *)` · 123 ms\n\n```\n" + OUTPUT + "```"
    )


def test_the_walk_stands_in_the_html_with_every_stage_and_step():
    text = Page(call_record(ordinary())["text/html"]).text
    assert all(name in text for name, _, _ in STAGES)
    assert "deny rules: passthrough – none of 2 rules matches" in text
    assert "allow rules: allow – matches [Bash(git *) [session]]" in text
    assert '{"observed":{"command":"git status"}}' in text
    assert "no hook matches" in text


def test_the_trace_says_who_decided_and_what_each_stage_did():
    trace = call_record(ordinary())[TRACE_MIME_TYPE]
    assert (trace["tool"], trace["status"], trace["ms"]) == ("Bash", "ok", 123.4)
    assert trace["decision"]["behavior"] == "allow" and trace["decision"]["rule"] == "Bash(git *)"
    assert trace["decision"]["passed"].split(", ")[0] == "deny rules"
    assert trace["decision"]["trace"][-1] == ["allow rules", "allow", "matches", "Bash(git *) [session]"]
    assert [stage["name"] for stage in trace["stages"]] == [name for name, _, _ in STAGES]
    assert trace["stages"][0]["in"] == {"tool_use": {"input": {"command": "git status"}}}
    assert "out" not in trace["stages"][3], "what `observe` saw is what the call came with"
    assert "in" not in trace["stages"][4], "it has just been told what came out of `observe`"


def test_the_trace_of_a_stepped_call_tells_every_passed_check():
    trace = call_record(ordinary(), walk="full")[TRACE_MIME_TYPE]
    assert trace["decision"]["trace"][0][:2] == ["deny rules", "passthrough"]
    assert trace["stages"][3]["out"] == {"observed": {"command": "git status"}}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "input"),
    [
        ("Read", {"file_path": "a.txt"}),
        ("Bash", {"command": "touch made; ls"}),
        ("Write", {"file_path": "new.txt", "content": "x\n"}),
        ("Grep", {"pattern": "one", "output_mode": "content"}),
        ("Bash", {"command": "seq 1 400; " + "echo words " * 60}),
    ],
    ids=["read", "command", "write", "search", "long output"],
)
async def test_a_call_adds_less_than_three_kilobytes_to_a_saved_notebook(tmp_path, name, input):
    import nbformat

    from jupyter_agenttools import PermissionAnswer, Session

    (tmp_path / "a.txt").write_text("one\ntwo\n")
    session = Session(tmp_path, {}, lambda request: PermissionAnswer("allow", answered_by="widget"))
    outcome = await session.call(name, input)
    await session.aclose()
    assert outcome.status == "ok"
    bundle = {kind: data for kind, data in call_record(outcome).items() if kind not in ("text/html", "text/plain")}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%tool")])
    empty = len(nbformat.writes(notebook).encode())
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", bundle)]
    # what front ends note of the run of a cell, such as its times, is below 300 bytes
    assert len(nbformat.writes(notebook).encode()) - empty <= 3_072 - 300


@pytest.mark.parametrize(
    ("outcome", "symbol", "told"),
    [
        (finished(bash(), {"command": "rm -rf x"}, "no", status="denied", decision=DENIED), "⊘ denied", "Bash(rm *)"),
        (
            finished(bash(), {}, "bad", status="error", error=ToolValidationError("no such file")),
            "✗ error",
            "no such file",
        ),
        (
            finished(bash(), {}, "cut", status="interrupted", error=InterruptedToolError("stopped")),
            "■ interrupted",
            "stopped",
        ),
        (
            finished(
                bash(CodeBlockView("boom"), badges=(Badge("exit 1", "error"),)), {}, status="error", is_error=True
            ),
            "✗ error",
            "boom",
        ),
        (finished(None, {}, "no tool is named Nope", status="error", decision=None, name="Nope"), "✗ error", "no tool"),
    ],
)
def test_a_status_is_a_word_and_a_symbol(outcome, symbol, told):
    bundle = call_record(outcome)
    for text in (Page(bundle["text/html"]).text, bundle["text/plain"], bundle["text/markdown"]):
        assert symbol in text and told in text


def test_a_status_is_told_once():
    tool = bash(CodeBlockView("step 1"), badges=(Badge("interrupted", "warning"), Badge("3 s")))
    bundle = call_record(replace(finished(tool, {}, "step 1"), status="interrupted"))
    head = bundle["text/plain"].splitlines()[0]
    assert head.count("interrupted") == 1 and "[3 s]" in head


def test_a_long_result_is_folded_and_leads_to_the_whole():
    text = "\n".join(f"{n}" for n in range(1, 200_001))
    tool = bash(CodeBlockView(text, "terminal"))
    bundle = call_record(finished(tool, {}, text, output={"persistedOutputPath": "/home/u/tool-results/t.txt"}))
    page = Page(bundle["text/html"])
    assert size(bundle) <= MAX_RECORD_BYTES
    assert "lines not kept here" in page.text and "full output: /home/u/tool-results/t.txt" in page.text
    assert "200000" in page.pre and bundle["text/plain"].endswith("full output: /home/u/tool-results/t.txt")
    assert len(bundle["text/plain"].splitlines()) <= 18
    said = bash(CodeBlockView(text, "terminal"), TextBlockView("All of it is in /home/u/tool-results/t.txt"))
    again = call_record(finished(said, {}, text, output={"persistedOutputPath": "/home/u/tool-results/t.txt"}))
    assert again["text/plain"].count("/home/u/tool-results/t.txt") == 1


def test_the_path_is_found_in_a_result_that_went_to_disk():
    text = "<persisted-output>\nThe result has 9,000 characters, too many to show. All of it: /s/t.txt\nRead that file"
    assert "full output: /s/t.txt" in call_record(finished(bash(), {}, text))["text/plain"]
    quoted = "a file that says\n" + text
    assert "full output" not in call_record(finished(bash(), {}, quoted))["text/plain"]


@pytest.mark.parametrize(
    "blocks",
    [
        (CodeBlockView("<&\"'" * 100_000, "html"),),
        (CodeBlockView("日本語\n" * 100_000),),
        (CodeBlockView("\x1b[31mx\x1b[32my\n" * 50_000, "terminal"),),
        (CodeBlockView("\u202e" * 100_000),),
        (JsonBlockView({f"k{n}": [n] * 50 for n in range(800)}),),
        (TableBlockView(tuple("abcdefghij"), tuple(("y" * 5_000,) * 10 for _ in range(3_000))),),
        (TableBlockView(tuple(map(str, range(5_000))), (tuple(map(str, range(5_000))),)),),
        tuple(TextBlockView("z" * 5_000) for _ in range(2_000)),
        (TextBlockView("# t\n\n" + "*w* `c` <b> " * 5_000, markdown=True),),
        (ImageBlockView("image/png", base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 22_000).decode()),) * 5,
    ],
    ids=lambda blocks: type(blocks[0]).__name__,
)
@pytest.mark.parametrize("walk", ["folded", "full"])
def test_no_call_leaves_more_than_its_bound(blocks, walk):
    bundle = call_record(finished(bash(*blocks), {"command": "x" * 100_000}, "y" * 200_000), walk=walk)
    assert size(bundle) <= MAX_RECORD_BYTES
    assert Page(bundle["text/html"]).problems == []
    assert size(bundle[TRACE_MIME_TYPE]) <= (FULL_TRACE_BYTES if walk == "full" else TRACE_BYTES)


def test_a_stepped_call_keeps_far_more_of_its_walk():
    outcome = finished(bash(), {"command": "echo " + "word " * 150}, "done")
    folded, full = call_record(outcome), call_record(outcome, walk="full")
    assert "word " * 140 in Page(full["text/html"]).text and "word " * 140 not in Page(folded["text/html"]).text
    assert "<details open" in full["text/html"]
    assert full[TRACE_MIME_TYPE]["stages"][0]["in"]["tool_use"]["input"]["command"].endswith("word ")


def test_a_trace_of_very_many_stages_is_bounded_and_says_so():
    outcome = finished(bash(), {"command": "x" * 5_000})
    many = outcome.__class__(**{**outcome.__dict__, "events": outcome.events * 50})
    trace = trace_json(many)
    assert size(trace) <= TRACE_BYTES and trace["left_out"] > 400


def test_the_input_is_told_when_title_and_result_do_not():
    def use(input, density):
        blocks = () if density == "condensed" else (CodeBlockView(input["command"], "bash"),)
        return ToolView(f"Bash {input['command'].splitlines()[0]}", blocks=blocks)

    long = call_record(finished(bash(render_tool_use=use), {"command": "cd /tmp\nmake all"}))["text/html"]
    short = call_record(finished(bash(render_tool_use=use), {"command": "make all"}))["text/html"]
    assert "what was asked" in long and "what was asked" not in short


@pytest.mark.parametrize("broken", [lambda *_: 1 / 0, lambda *_: "text"], ids=["raises", "wrong type"])
def test_a_broken_renderer_never_hides_the_call(broken):
    tool = bash(render_result=broken, render_tool_use=broken, render_rejected=broken, render_error=broken)
    bundle = call_record(finished(tool, {"command": "ls"}, "the result"))
    assert "the result" in bundle["text/plain"] and "its view" in bundle["text/plain"]
    for status, error in (("denied", None), ("error", ToolValidationError("why"))):
        told = call_record(finished(tool, {"command": "ls"}, "why", status=status, error=error))["text/plain"]
        assert "why" in told and status in told


def test_what_json_cannot_hold_does_not_stop_a_kernel_from_sending_it():
    outcome = finished(bash(JsonBlockView(float("nan"))), {"x": float("inf"), "y": "\ud800"}, "\udc00")
    json.dumps(call_record(outcome), allow_nan=False, ensure_ascii=False).encode("utf-8")


def test_the_text_of_a_trace_has_one_line_a_stage():
    lines = trace_text(ordinary()).splitlines()
    assert lines[0] == "✓ ok  Bash  (123 ms)"
    assert [line.split()[1] for line in lines if re.match(r" ?\d+ ", line)] == [name for name, _, _ in STAGES]
    assert "       deny rules: passthrough – none of 2 rules matches" in lines
    assert "       → " + '{"observed":{"command":"git status"}}' in lines


def test_a_decision_without_a_rule_names_who_made_it():
    asked = ALLOWED._replace(rule=None, decided_by="person", reason="allowed by widget")
    assert "allowed by you" in call_record(finished(bash(), {}, decision=asked))["text/markdown"]


def test_a_view_becomes_a_bundle():
    bundle = view_bundle(ToolView("Tools", (Badge("2"),), (TextBlockView("a"),)))
    assert bundle["text/plain"] == "Tools  [2]\n  a" and bundle["text/markdown"].startswith("**`Tools`** · `2`")
    assert Page(bundle["text/html"]).words == "Tools 2 a"


def test_a_wide_script_is_cut_by_its_bytes():
    text = "日本語の出力です。" * 400
    bundle = call_record(finished(bash(CodeBlockView(text)), {"command": "cat"}, text))
    assert "日本語" in bundle["text/markdown"] and len(bundle["text/markdown"].encode()) <= MARKDOWN_BYTES
