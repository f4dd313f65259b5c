"""Which parts of a turn stand together, and how thoughts, notes and totals are told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.outcome import Outcome
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.core.views import ToolView
from jupyter_agenttools.render import turn_record
from jupyter_agenttools.render.totals import cost_words, totals_words
from jupyter_agenttools.render.turn_parts import (
    Said,
    Thought,
    TurnNote,
    group_title,
    groups,
    thought_summary,
)
from tests.support.finished_calls import DENIED, finished, shown_tool
from tests.support.markup import Page

READ = shown_tool(
    "Read",
    is_search_or_read_command=True,
    render_grouped=lambda inputs: ToolView(f"Read {len(inputs)} files"),
    render_tool_use=lambda input, density: ToolView(f"Read {input.get('n', '')}"),
)
GREP = shown_tool("Grep", is_search_or_read_command=True)
NOTE = shown_tool("note")
PICKY = shown_tool("Picky", is_search_or_read_command=lambda input: input["missing"])


def at(outcome: Outcome, started: float, ms: float = 1_000.0) -> Outcome:
    """The call as if it had begun then and taken so long."""
    events = tuple(event._replace(started=started, duration_ms=ms) for event in outcome.events[:1])
    return replace(outcome, events=events, duration_ms=ms)


def call(tool=NOTE, started=0.0, ms=1_000.0, **fields):
    return at(finished(tool, {"n": 1}, **fields), started, ms)


def test_calls_that_only_look_around_share_a_line_thoughts_between_them_included():
    looks = [call(READ, 0), Thought("and now?"), call(GREP, 2), call(READ, 4)]
    (first, second) = groups([*looks, Thought("enough"), call(NOTE, 9)][:5])
    assert first.together == "looked" and first.parts == tuple(looks)
    assert second.parts == (Thought("enough"),), "a thought at the end belongs to what follows"
    assert group_title(first.calls) == "Read 2 files · Grep"
    html = turn_record(looks, TurnEnded("end_turn", "Done."))["text/html"]
    assert "✓ ok · Read 2 files · Grep · 3 calls" in html and html.count("<details") > 4
    assert Page(html).problems == []


@pytest.mark.parametrize(
    "other",
    ["a text", Said("wait"), call(NOTE, 9), call(READ, 9, status="error"), call(PICKY, 9), TurnNote("shortened")],
    ids=lambda part: type(part).__name__,
)
def test_anything_else_ends_such_a_line(other):
    found = list(groups([call(READ, 0), call(READ, 2), other, call(READ, 11), call(READ, 13)]))
    assert [group.together for group in found] == ["looked", "alone", "looked"]


def test_a_look_that_failed_or_was_refused_stands_by_itself():
    failed, refused = call(READ, 2, status="error"), call(READ, 4, status="denied", decision=DENIED)
    assert [len(g.parts) for g in groups([call(READ, 0), failed, call(GREP, 9)])] == [1, 1, 1]
    html = turn_record([call(READ, 0), call(GREP, 1), refused], TurnEnded("end_turn"))["text/html"]
    assert "⊘ denied" in html.split("2 calls")[1]


def test_calls_that_ran_at_the_same_time_say_so():
    other = shown_tool("other")
    together = [call(NOTE, 0.0), call(other, 0.5)]
    (group,) = groups(together)
    assert group.together == "overlapped" and group.at_once
    assert "note · other · 2 calls at the same time" in turn_record(together, TurnEnded("end_turn"))["text/html"]
    assert [g.together for g in groups([call(NOTE, 0.0), call(other, 1.0)])] == ["alone", "alone"]


parts = st.lists(
    st.one_of(
        st.just("text"),
        st.just(Thought("hm")),
        st.just(Said("you")),
        st.just(TurnNote("note")),
        st.builds(call, st.sampled_from([READ, GREP, NOTE, PICKY]), st.floats(0, 5)),
    ),
    max_size=12,
)


@given(parts)
def test_every_part_is_in_one_group_and_in_its_order(story):
    assert [part for group in groups(story) for part in group.parts] == story


@given(parts)
def test_every_story_makes_a_sound_record(story):
    bundle = turn_record(story, TurnEnded("end_turn", "Done."))
    assert Page(bundle["text/html"]).problems == []
    assert bundle["text/plain"].endswith("Done.")


def test_thoughts_are_folded_and_in_the_other_forms_one_line():
    thought = Thought("First I **look**, then " + "I think " * 100)
    bundle = turn_record([thought], TurnEnded("end_turn", "Done."))
    page = Page(bundle["text/html"])
    assert "<summary>thought · 204 words · First I look" in bundle["text/html"]
    assert page.tags.count("details") >= 1 and "<strong>look</strong>" in bundle["text/html"]
    for form in ("text/plain", "text/markdown"):
        assert "thought · 204 words" in bundle[form] and len(bundle[form]) < 400
    kept_back = turn_record([Thought("")], TurnEnded("end_turn", "Done."))["text/html"]
    assert "the provider keeps the text" in kept_back and "<details" not in kept_back


def test_the_summary_of_a_thought_that_goes_on_tells_its_end():
    thought = Thought("start " + "x " * 500 + "the end")
    assert thought_summary(thought, end=True).endswith("the end") and "start" not in thought_summary(thought, end=True)
    assert thought_summary(thought).endswith("…") and "start" in thought_summary(thought)
    assert "\u202e" not in thought_summary(Thought("a\u202eb"))


def test_what_a_person_said_and_what_else_happened_is_there():
    story = [
        Said("not <that> file\n\nthe other"),
        TurnNote("try 2 in 3.0 s", "warning"),
        TurnNote("shortened", detail="**Kept**: a"),
    ]
    bundle = turn_record(story, TurnEnded("end_turn", "Done."))
    html = bundle["text/html"]
    assert "<b>You</b>" in html and "not &lt;that&gt; file" in html and "↻ try 2" in html
    assert "<summary>ℹ shortened</summary>" in html and "<strong>Kept</strong>" in html
    assert "You: not <that> file" in bundle["text/plain"] and "(try 2 in 3.0 s)" in bundle["text/plain"]
    assert "**You:** `not <that> file the other`" in bundle["text/markdown"]


def test_the_totals_are_one_line_at_the_end():
    ended = TurnEnded("end_turn", "Done.", usage=Usage(2_345, 512, 10_000), cost_usd=0.0123, turns=2)
    bundle = turn_record([call()], ended, 8.2)
    line = "2 turns · 1 call · 12,345 tokens in (10,000 cached), 512 out · $0.0123 · 8.2 s"
    assert bundle["text/plain"].endswith(f"Done.\n\n{line}")
    assert bundle["text/markdown"].endswith(line.replace("$", "\\$")), "no front end may take it for mathematics"
    assert line in Page(bundle["text/html"]).text
    trace = bundle["application/vnd.jupyter-agenttools.trace+json"]
    assert trace["usage"]["output_tokens"] == 512 and trace["seconds"] == 8.2 and trace["turns"] == 2


def test_what_is_not_known_is_left_out_of_the_totals():
    assert totals_words(TurnEnded("end_turn"), 3) == ""
    assert totals_words(TurnEnded("end_turn", turns=1), 0) == "1 turn · 0 calls"
    assert totals_words(TurnEnded("end_turn", turns=1, cost_usd=0.0), 0, 2.0) == "1 turn · 0 calls · 2.0 s"


@pytest.mark.parametrize(
    ("usd", "words"),
    [(0.0, "free"), (0.00001, "less than $0.0001"), (0.0042, "$0.0042"), (1.256, "$1.26"), (1234.5, "$1,234.50")],
)
def test_dollars(usd, words):
    assert cost_words(usd) == words


@pytest.mark.parametrize("reason", ["refusal", "max_tokens"])
def test_an_answer_that_was_refused_or_cut_off_says_so(reason):
    text = turn_record([], TurnEnded(reason, "so far", "ask again"))["text/plain"]
    assert {"refusal": "refused", "max_tokens": "cut off"}[reason] in text and "ask again" in text


def test_an_answer_in_pieces_is_not_told_twice():
    bundle = turn_record(["One. ", Thought("hm"), "Two."], TurnEnded("end_turn", "One. Two."))
    assert bundle["text/plain"].count("Two.") == 1 and "thought · 1 word" in bundle["text/plain"]


@pytest.mark.parametrize("reason", ["interrupted", "max_turns", "hook"])
def test_a_text_before_calls_is_told_once_and_where_it_was_said(reason):
    parts = ["Look ", Thought("hm"), "first.", call(NOTE), TurnNote("stopped")]
    bundle = turn_record(parts, TurnEnded(reason, "Look first.", "why"))
    assert all(bundle[form].count("first.") == 1 for form in ("text/html", "text/markdown", "text/plain"))
    assert bundle["text/plain"].index("first.") < bundle["text/plain"].index("note")


def test_an_answer_before_a_note_is_told_once():
    text = turn_record(["Done so far.", TurnNote("too long")], TurnEnded("max_tokens", "Done so far."))["text/plain"]
    assert text.count("Done so far.") == 1


HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) ![y](https://evil.example/p.png)",
    "a\u202eb\u2066c\x1b[31mred\x1b[0m\x07",
    "```\n</details></section>",
    "$\\href{javascript:alert(1)}{x}$",
    "| a |\n|---|\n| <b onclick=x> |",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_texts_in_every_part_and_form(text):
    story = [text, Thought(text), Said(text), TurnNote(text, "warning"), TurnNote("note", "info", text), call(READ)]
    bundle = turn_record(story, TurnEnded("error", text, text), 1.0)
    page = Page(bundle["text/html"])
    assert page.problems == [] and "img" not in page.tags and "script" not in page.tags
    assert 'href="javascript' not in bundle["text/html"] and "mathjax_ignore" in bundle["text/html"]
    for form in ("text/markdown", "text/plain"):
        assert not set("\u202e\u2066\x1b\x07") & set(bundle[form])
