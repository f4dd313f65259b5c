"""The record of an agent's turn."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.names import TRACE_MIME_TYPE
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.core.views import ChecklistBlockView, ChecklistItem, CodeBlockView, ToolView
from jupyter_agenttools.render import turn_record
from jupyter_agenttools.render.jsonclip import size
from jupyter_agenttools.render.turn import MAX_TURN_BYTES
from tests.support.finished_calls import DENIED, finished, shown_tool
from tests.support.markup import Page


def call(command="git status", text="clean", **fields):
    tool = shown_tool(
        "Bash", CodeBlockView(text), render_tool_use=lambda input, density: ToolView(f"Bash {input['command']}")
    )
    return finished(tool, {"command": command}, text, **fields)


def test_texts_calls_and_answer_stand_in_their_order():
    parts = ["First I **look**.", call(), "Then I stop.", call("rm x", status="denied", decision=DENIED), "All *done*."]
    bundle = turn_record(parts, TurnEnded("end_turn", "All *done*."))
    page = Page(bundle["text/html"])
    wanted = (
        "Agent",
        "✓ done",
        "2 calls",
        "First I look.",
        "Bash git status",
        "clean",
        "Then I stop.",
        "denied Bash rm x",
    )
    positions = [page.text.index(words) for words in (*wanted, "All done.")]
    assert positions == sorted(positions) and page.text.count("All done.") == 1
    assert page.problems == [] and page.tags.count("section") == 3
    assert bundle["text/markdown"].splitlines()[::2] == [
        "**Agent** · ✓ done · 2 calls",
        "First I **look**.",
        "- ✓ ok `Bash git status` (123 ms)",
        "Then I stop.",
        "- ⊘ denied `Bash rm x` (123 ms)",
        "All *done*.",
    ]
    assert bundle["text/plain"].endswith("All *done*.")
    trace = bundle[TRACE_MIME_TYPE]
    assert trace["ended"] == "end_turn" and [c["status"] for c in trace["calls"]] == ["ok", "denied"]


@pytest.mark.parametrize(
    ("reason", "words"),
    [("max_turns", "turn limit reached"), ("interrupted", "■ interrupted"), ("error", "✗ error")],
)
def test_another_end_is_told_with_its_reason(reason, words):
    bundle = turn_record([], TurnEnded(reason, detail="because <of> that"))
    for form in ("text/plain", "text/markdown"):
        assert words in bundle[form] and "because <of> that" in bundle[form]
    assert "because &lt;of&gt; that" in bundle["text/html"]


def test_neighbouring_calls_of_a_tool_that_groups_stand_together():
    tool = shown_tool("Read", render_grouped=lambda inputs: ToolView(f"Read {len(inputs)} files"))
    other = shown_tool("Read")
    bundle = turn_record([finished(tool, {"n": n}) for n in range(3)] + [finished(other, {})], TurnEnded("end_turn"))
    assert "✓ ok · Read 3 files · 3 calls" in bundle["text/html"]
    page = Page(bundle["text/html"])
    assert page.problems == [] and page.tags.count("section") == 1 + 4
    assert page.words.index("Read 3 files") < page.words.index("Read n=0") < page.words.index("Read n=2")
    broken = shown_tool("Read", render_grouped=lambda inputs: 1 / 0)
    assert "✓ ok · Read · 2 calls" in turn_record([finished(broken, {})] * 2, TurnEnded("end_turn"))["text/html"]


@pytest.mark.parametrize(
    "parts",
    [
        [call(text="x" * 100 + "\n" + "line\n" * 1_000)] * 60,
        ["word " * 5_000] * 50,
        ["<&>" * 4_000, call(command="c" * 5_000, text="\u202e" * 9_000)] * 10,
        [call()] * 400,
    ],
    ids=["long results", "long texts", "escapes", "many calls"],
)
def test_no_turn_leaves_more_than_its_bound(parts):
    bundle = turn_record(parts, TurnEnded("end_turn", "日本 <b> " * 20_000))
    assert size(bundle) <= MAX_TURN_BYTES
    assert Page(bundle["text/html"]).problems == []
    assert "not kept here" in bundle["text/html"] or "… +" in bundle["text/html"]


def wrote(*items: ChecklistItem, **fields):
    tool = shown_tool("TodoWrite", ChecklistBlockView(items), render_tool_use=lambda input, density: ToolView("Todos"))
    return finished(tool, {}, "stored", **fields)


def test_the_todo_list_stands_before_the_answer_as_it_was_in_the_end():
    first, last = ChecklistItem("Look", "in_progress", "Looking"), ChecklistItem("Look", "done")
    bundle = turn_record([wrote(first), call(), wrote(last), call("make")], TurnEnded("end_turn", "All *done*."))
    page = Page(bundle["text/html"])
    assert page.problems == [] and page.words.rindex("✓ Look done") < page.words.index("All done.")
    assert page.words.count("Todos ✓ Look done") == 1, "the list of the end, once outside of the folded calls"
    assert bundle["text/markdown"].endswith("```\nTodos\n[x] Look\n```\n\nAll *done*.")
    assert bundle["text/plain"].endswith("Todos\n[x] Look\n\nAll *done*.")


def test_a_list_that_was_refused_or_emptied_is_not_shown_at_the_end():
    item = ChecklistItem("Look", "pending")
    refused = turn_record([wrote(item), wrote(status="denied", decision=DENIED)], TurnEnded("end_turn", "Done."))
    assert refused["text/plain"].endswith("Todos\n[ ] Look\n\nDone.")
    assert "Todos\n[ ]" not in turn_record([call()], TurnEnded("end_turn", "Done."))["text/plain"]
    emptied = turn_record([wrote(item), finished(shown_tool("TodoWrite"), {})], TurnEnded("end_turn", "Done."))
    assert "[ ] Look\n\nDone." not in emptied["text/plain"]
