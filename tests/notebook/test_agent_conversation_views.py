"""The conversation and what it cost, as a person sees them."""

from __future__ import annotations

from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from jupyter_agenttools.core.updates import TextDelta, UsageAdded
from jupyter_agenttools.core.usage import NO_USAGE, Usage
from jupyter_agenttools.notebook.agent_conversation_views import FOUND_LINES, cost_view, found_view, message_lines
from jupyter_agenttools.notebook.model_totals import ModelTotals, answering
from jupyter_agenttools.render import view_text

MESSAGES = (
    Message("user", (TextBlock("Where is the Needle?"),)),
    Message("assistant", (ThinkingBlock("hm"), TextBlock("I look."), ToolUse("Grep", {"pattern": "needle"}, "a"))),
    Message("user", (ToolResultBlock("a", "x" * 500 + " needle " + "y" * 500), ImageBlock({}))),
)


def test_every_block_says_whose_it_is() -> None:
    told = [who for message in MESSAGES for who, _ in message_lines(message)]
    assert told == ["you", "thought", "agent", "call", "result", "you"]
    failed = Message("user", (ToolResultBlock("a", "no", is_error=True),))
    assert [who for who, _ in message_lines(failed)] == ["error"]


def test_a_place_is_shown_with_what_stands_around_it() -> None:
    text = view_text(found_view(MESSAGES, "NEEDLE"))
    assert "[3 places]" in text and "Where is the Needle?" in text and "…xxx" in text and "yyy…" in text
    many = tuple(Message("user", (TextBlock(f"needle {n}"),)) for n in range(FOUND_LINES + 3))
    assert "3 more places" in view_text(found_view(many, "needle"))
    assert view_text(found_view(MESSAGES, "unheard-of")).endswith("[0 places]")


def test_each_model_has_its_own_sum() -> None:
    totals = ModelTotals(lambda: "own")
    totals.on_update(UsageAdded(Usage(1_000, 10), 0.25))
    totals.on_update(TextDelta("x"))
    token = answering.set("guest")
    totals.on_update(UsageAdded(Usage(5, 5, 20), None))
    totals.on_update(UsageAdded(Usage(5, 5), 0.5))
    answering.reset(token)
    assert (totals.by_model["own"].answers, totals.by_model["guest"].answers) == (1, 2)
    text = view_text(cost_view(totals.by_model, Usage(9_000, 1), 1.5))
    assert "[$0.7500]" in text and "[1,030 tokens in (20 cached), 20 out]" in text
    assert "without 1 answer of unknown price" in text and "$0.5000 and more" in text
    assert "this conversation so far: 9,000 tokens in, 1 out, $1.50" in text


def test_before_the_first_answer_there_is_nothing_to_pay() -> None:
    assert "no model has answered in this kernel yet" in view_text(cost_view({}, NO_USAGE, None))
    totals = ModelTotals(lambda: "own")
    totals.on_update(UsageAdded(Usage(1, 1), None))
    assert "not known" in view_text(cost_view(totals.by_model, NO_USAGE, None))
