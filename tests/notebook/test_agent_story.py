"""What a turn has told so far, and how it is drawn while it goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.blocks import Message, TextBlock, ToolUse
from jupyter_agenttools.core.updates import (
    Compacted,
    MessageAdded,
    ModelRetry,
    TextDelta,
    ThinkingDelta,
    ToolUseReady,
    TurnEnded,
    UsageAdded,
)
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.notebook.agent_slots import SHOWN_PARTS, StorySlots
from jupyter_agenttools.notebook.agent_story import TurnStory
from jupyter_agenttools.notebook.agent_view import TurnCard
from jupyter_agenttools.notebook.cards import WidgetBag
from jupyter_agenttools.render import markdown_pieces
from jupyter_agenttools.render.markdown_pieces import PARSED_CHARS, GrowingText, settled_prefix
from jupyter_agenttools.render.turn_parts import Said, Thought, TurnNote
from tests.support.finished_calls import finished, shown_tool
from tests.support.markup import Page

READ = shown_tool("Read", is_search_or_read_command=True)
SESSION: Any = SimpleNamespace(todos=(), find_tool=lambda name: READ if name == "Read" else None)


def story_of(*updates: Any) -> TurnStory:
    story = TurnStory()
    for update in updates:
        story.take(update)
    return story


def assistant(text: str) -> MessageAdded:
    return MessageAdded(Message("assistant", (TextBlock(text),)))


def test_thoughts_texts_and_notes_stand_in_their_order() -> None:
    story = story_of(
        ThinkingDelta("Let "),
        ThinkingDelta("me see."),
        TextDelta("I "),
        TextDelta("look."),
        assistant("I look."),
        ModelRetry("overloaded", 2.5, 2),
        TextDelta("Now."),
        Compacted("**what was kept**", 12, 9_000, 1_200),
    )
    story.said("not that one")
    thought, first, retry, second, shortened, said = story.finished_parts
    assert (thought, first, second, said) == (Thought("Let me see."), "I look.", "Now.", Said("not that one"))
    assert isinstance(retry, TurnNote) and "overloaded" in retry.text and "try 2 in 2.5 s" in retry.text
    assert isinstance(shortened, TurnNote) and "12 messages" in shortened.text and "9,000 → 1,200" in shortened.text
    assert shortened.detail == "**what was kept**" and story.turns == 1


def test_what_a_person_says_meanwhile_does_not_cut_a_text_in_two() -> None:
    story = story_of(TextDelta("```\na = "))
    story.said("shorter")
    assert story.finished_parts == ["```\na = ", Said("shorter")], "should it be stopped now"
    story.take(TextDelta("1\n```"))
    story.take(assistant("```\na = 1\n```"))
    story.said("and now")
    story.take(TextDelta("Yes."))
    assert story.finished_parts == ["```\na = 1\n```", Said("shorter"), Said("and now"), "Yes."]


def test_the_next_answer_begins_a_text_of_its_own() -> None:
    assert story_of(TextDelta("One."), assistant("One."), TextDelta("Two.")).finished_parts == ["One.", "Two."]


def test_usage_and_cost_are_added_up_and_an_unknown_price_stays_unknown() -> None:
    story = story_of(UsageAdded(Usage(1, 2), 0.5), UsageAdded(Usage(3, 4), 0.25))
    assert story.usage == Usage(4, 6) and story.cost_usd == 0.75
    story.take(UsageAdded(Usage(1, 1), None))
    story.take(UsageAdded(Usage(1, 1), 1.0))
    assert story.cost_usd is None


def test_a_turn_that_nobody_ended_was_interrupted() -> None:
    story = story_of(TextDelta("so far"), assistant("so far"), UsageAdded(Usage(5, 6), 0.1))
    ended = story.ending("the cell was interrupted")
    assert (ended.reason, ended.text, ended.detail) == ("interrupted", "so far", "the cell was interrupted")
    assert ended.turns == 1 and ended.usage == Usage(5, 6) and ended.cost_usd == 0.1
    story.take(TurnEnded("end_turn", "Done."))
    assert story.ending("x").text == "Done."


# ---- growing Markdown


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("one\n\ntwo", "one\n\n"),
        ("one", ""),
        ("one\n\n", ""),
        ("a\n\n```py\nx = 1\n\ny = 2", "a\n\n"),
        ("```\nopen\n\n# no heading", ""),
        ("- a\n\n- b\n\ntext", "- a\n\n- b\n\n"),
        ("# h\ntext\n\n> q", "# h\ntext\n\n"),
        ("a\r\n\r\nb", "a\r\n\r\n"),
    ],
)
def test_what_will_not_change_any_more(text: str, prefix: str) -> None:
    assert settled_prefix(text) == prefix


LINES = st.lists(
    st.sampled_from(
        ["text ", "\n", "\n\n", "```\n", "- item\n", "# h\n", "| a |\n", "> q\n", "\x0b\x85", "x" * 700, "\r\n"]
    )
)


@given(LINES)
def test_the_pieces_are_the_text(chunks: list[str]) -> None:
    growing = GrowingText()
    for chunk in chunks:
        growing += chunk
        before = growing.settled[:]
        assert "".join(growing.pieces()) == str(growing)
        assert growing.settled[: len(before)] == before
    assert str(growing) == "".join(chunks)


ROW = "| some cell | **bold** | `code` |\n"
LONG_BLOCKS = {
    "table": "| a | b | c |\n|---|---|---|\n" + ROW * 30_000,
    "list": "- an item with *words*\n" * 14_000,
    "words": "word and " * 110_000,
    "code": "```py\n" + "x = 1\n\nprint(x)\n" * 20_000 + "```\n",
    "stars": "*a_" * 60_000,
}


@pytest.mark.parametrize("text", LONG_BLOCKS.values(), ids=LONG_BLOCKS)
def test_a_long_block_is_not_parsed_again_and_again(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    parse = markdown_pieces.settled_prefix

    def counted(text: str) -> str:
        parsed.append(len(text))
        return parse(text)

    monkeypatch.setattr(markdown_pieces, "settled_prefix", counted)
    growing, step = GrowingText(), len(text) // 200
    for at in range(0, len(text), step):
        growing += text[at : at + step]
        assert sum(map(len, growing.pieces())) == min(at + step, len(text))
    assert max(parsed) <= PARSED_CHARS
    assert len(parsed) <= PARSED_CHARS // step + 2, "only as long as it may still be a short one"


@pytest.mark.parametrize("name", ["table", "list", "words", "code"])
def test_behind_a_long_block_the_text_goes_on_as_markdown(name: str) -> None:
    growing = GrowingText()
    growing += LONG_BLOCKS[name]
    growing.pieces()
    growing += "\n\nThe **end** of"
    growing.pieces()
    growing += " it."
    assert growing.pieces()[-1].strip() == "The **end** of it."
    assert str(growing) == LONG_BLOCKS[name] + "\n\nThe **end** of it."


def test_many_texts_that_came_at_once_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [GrowingText("word and " * 600) for _ in range(50)]
    for text in texts:
        text.pieces()
    monkeypatch.setattr(markdown_pieces, "settled_prefix", None)
    assert [text.pieces()[-1] for text in texts] == ["word and " * 600] * 50


# ---- drawing


def test_a_text_streams_as_markdown_and_a_thought_as_one_line() -> None:
    slots = StorySlots(SESSION)
    story = story_of(TextDelta("I **look** at `a`"))
    assert "<strong>look</strong>" in slots.draw(story)[0]
    story.take(assistant(""))
    story.take(ThinkingDelta("hidden thing " * 20))
    assert "<details" not in slots.draw(story)[1], "a fold that is drawn anew would close under the reader's hand"
    story.take(TextDelta("So"))
    assert "<details" in slots.draw(story)[1]


def test_neighbouring_reads_become_one_line_once_they_are_over() -> None:
    story, slots = TurnStory(), StorySlots(SESSION)
    for n in range(4):
        use = ToolUse("Read", {"n": n}, f"id{n}")
        story.take(ToolUseReady(use))
    assert len(slots.draw(story)) == 4
    for part in story.parts:
        part.outcome = finished(READ, {})  # type: ignore[union-attr]
    (line,) = slots.draw(story)
    assert "Read 4 times" in line


def test_long_stories_show_their_end_and_what_is_shown_moves_seldom() -> None:
    story, slots = TurnStory(), StorySlots(SESSION)
    for n in range(SHOWN_PARTS + 5):
        story.take(TextDelta(f"part {n}"))
        story.take(assistant(""))
    drawn = slots.draw(story)
    assert "20 earlier parts" in drawn[0] and "part 84" in drawn[-1] and len(drawn) < SHOWN_PARTS
    story.take(TextDelta("one more"))
    assert slots.draw(story)[:-1] == drawn


def test_one_endless_block_costs_no_more_than_its_end() -> None:
    story, slots = TurnStory(), StorySlots(SESSION)
    story.take(TextDelta("```\n" + "x = 1\n" * 50_000))
    assert sum(map(len, slots.draw(story))) < 10_000


HOSTILE = (
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/a.png)",
    "<img src=x onerror=alert(1)>",
    "a\u202eb\u2066c",
    "\x1b[31mred\x1b[0m",
    "[x]: javascript:alert(1)\n\n[x]",
    "</div></section><b>",
)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(HOSTILE), min_size=1), st.integers(0, 4))
def test_nothing_in_a_story_is_live_markup(texts: list[str], kind: int) -> None:
    story, text = TurnStory(), "\n\n".join(texts)
    updates: list[Any] = [
        TextDelta(text),
        ThinkingDelta(text),
        ModelRetry(text, 1.0, 2),
        Compacted(text, 1, 2, 1),
        ToolUseReady(ToolUse("Read", {"file_path": text})),
    ]
    story.take(updates[kind])
    story.said(text)
    story.take(assistant(text))
    for slot in StorySlots(SESSION).draw(story):
        assert Page(slot).problems == [] and "javascript:alert" not in "".join(_links(slot))


def _links(html: str) -> list[str]:
    return [part.split('"')[0] for part in html.split('href="')[1:]]


def test_only_what_changed_is_sent() -> None:
    bag = WidgetBag()
    card = TurnCard(bag, None)
    assert card.show(["<p>a</p>", "<p>b</p>"]) == 16
    first, second = card.root.children[1:]
    assert card.show(["<p>a</p>", "<p>bc</p>"]) == 9
    assert card.root.children[1:] == (first, second) and second.value == "<p>bc</p>"
    assert card.show(["<p>a</p>"]) == 0 and second.value == ""
    bag.close()
