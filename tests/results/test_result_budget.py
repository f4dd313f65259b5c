"""The budget of results in a conversation: stable, paired, and nothing goes that cannot be read again."""

from __future__ import annotations

import base64
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ToolResultBlock, ToolUse
from jupyter_agenttools.core.rough_tokens import block_tokens
from jupyter_agenttools.results import ResultStore
from jupyter_agenttools.results.budget import (
    MAX_IMAGE_CHARS,
    WORTH_TOKENS,
    WORTH_UNSEEN_TOKENS,
    ContentReplacementState,
    ResultBudget,
    apply_tool_result_budget,
    result_budget,
)
from tests.support.media_files import halves, saved

pytestmark = pytest.mark.anyio

PNG = saved(halves(), "PNG")
PICTURE = ImageBlock({"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()})


def turn(*results: ToolResultBlock) -> list[Message]:
    """A message with calls, and the one with their results."""
    uses = tuple(ToolUse("Read", {}, result.tool_use_id) for result in results)
    return [Message("assistant", uses), Message("user", results)]


def big(id: str, tokens: int = 1_000, word: str | None = None) -> ToolResultBlock:
    return ToolResultBlock(id, f"{word or id} ".ljust(5, "w") * tokens)


def conversation(*results: ToolResultBlock) -> list[Message]:
    return [Message("user", (TextBlock("go"),)), *(message for result in results for message in turn(result))]


def results_of(messages: Any) -> dict[str, ToolResultBlock]:
    return {b.tool_use_id: b for message in messages for b in message.content if isinstance(b, ToolResultBlock)}


def total(messages: Any) -> int:
    return sum(map(block_tokens, results_of(messages).values()))


def path_in(text: str) -> Path:
    """The file that the text names; it is there, whole, and not empty."""
    found = re.search(r"All of it: (/.+?)(?:;|\n)", text)
    assert found is not None, text
    path = Path(found[1])
    assert path.stat().st_size > 0
    return path


def bytes_of(path: str) -> bytes:
    return Path(path).read_bytes()


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore(tmp_path / "tool-results")


async def test_no_result_is_written_over_another(store: ResultStore) -> None:
    texts = ["a" * 100_000, "b" * 100_000, "a" * 100_000]
    fitted = [(await store.fit(ToolResultBlock("call_0", text), 1_000))[0] for text in texts]
    paths = [path_in(block.text) for block in fitted]
    assert [path.read_text() for path in paths] == texts and paths[0] == paths[2] != paths[1]
    assert [store.keep(block).path for block in fitted] == paths
    outputs: list[Path] = []
    for _ in range(3):
        outputs.append(store.free_path_for("call_0", ".output.txt", ".output.stderr.txt"))
        outputs[-1].with_suffix(".stderr.txt").touch()
    assert len(set(outputs)) == 3 and outputs[0].name == "call_0.output.txt"


async def test_below_the_budget_nothing_happens(store: ResultStore) -> None:
    messages = conversation(*(big(f"r{n}") for n in range(5)))
    kept, state = await apply_tool_result_budget(messages, 100_000, ContentReplacementState(), store)
    assert all(one is other for one, other in zip(kept, messages, strict=True))
    assert state.replaced == {} and not store.directory.exists()


async def test_the_oldest_go_first_and_can_be_read_again(store: ResultStore) -> None:
    messages = conversation(*(big(f"r{n}") for n in range(8)))
    before = results_of(messages)
    kept, state = await apply_tool_result_budget(messages, total(messages) - 1, ContentReplacementState(), store)
    gone = [id for id in before if id in state.replaced]
    assert gone == [f"r{n}" for n in range(len(gone))] and 1 < len(gone) <= 5
    assert total(kept) <= 0.6 * total(messages)
    for id, block in results_of(kept).items():
        if id in gone:
            assert path_in(block.text).read_text() == before[id].text and "room" in block.text
            assert block.is_error == before[id].is_error
        else:
            assert block is before[id]


async def test_the_newest_stay(store: ResultStore) -> None:
    messages = conversation(*(big(f"r{n}") for n in range(6)))
    budget = int(total(messages) * 0.7)
    kept, _ = await apply_tool_result_budget(messages, budget, ContentReplacementState(), store, keep_newest=3)
    assert [id for id, block in results_of(kept).items() if block is results_of(messages)[id]] == ["r3", "r4", "r5"]


async def test_what_the_model_has_not_seen_is_shown_in_part_when_it_cannot_be_shown_whole(store: ResultStore) -> None:
    results = [big("a", 500), big("b", 20_000), big("c", 900)]
    messages = turn(*results)
    kept, state = await apply_tool_result_budget(messages, 5_000, ContentReplacementState(), store)
    assert list(state.replaced) == ["b"]
    text = results_of(kept)["b"].text
    assert "b wwwb www" in text and "left out" in text and path_in(text).read_text() == results[1].text


async def test_small_results_stay(store: ResultStore) -> None:
    messages = conversation(*(big(f"r{n}", WORTH_TOKENS // 10) for n in range(200)))
    kept, state = await apply_tool_result_budget(messages, 1_000, ContentReplacementState(), store)
    assert state.replaced == {} and kept == tuple(messages)


async def test_of_two_equal_results_the_older_goes_first(store: ResultStore) -> None:
    twins = [big("new1"), big("twin1", word="same"), big("new2"), big("twin2", word="same"), big("x"), big("y")]
    messages = conversation(*twins, big("z"))
    budget = ResultBudget(store, total(messages) - 1)
    await budget.apply(messages)
    assert next(iter(budget.state.replaced)) == "twin1"


async def test_a_result_that_is_on_disk_already_is_not_written_over(store: ResultStore) -> None:
    whole = big("r0", 3_000)
    fitted, _ = await store.fit(whole, 2_500)
    messages = conversation(fitted, *(big(f"r{n}") for n in range(1, 6)))
    kept, state = await apply_tool_result_budget(messages, 3_500, ContentReplacementState(), store)
    assert "r0" in state.replaced
    assert path_in(results_of(kept)["r0"].text).read_text() == whole.text


async def test_a_result_that_looks_like_one_on_disk_is_kept_itself(store: ResultStore) -> None:
    liar = ToolResultBlock("r0", "<persisted-output>\nAll of it: /nowhere/x.txt\n" + "w " * 2_000)
    messages = conversation(liar, *(big(f"r{n}") for n in range(1, 6)))
    kept, _ = await apply_tool_result_budget(messages, 3_000, ContentReplacementState(), store)
    assert path_in(results_of(kept)["r0"].text).read_text() == liar.text


async def test_ids_that_look_alike_have_files_of_their_own(store: ResultStore) -> None:
    blocks = [big("a/b", word="one"), big("a_b", word="two"), big("a b", word="three"), big("é" * 300, word="four")]
    messages = conversation(*blocks, *(big(f"r{n}", 10) for n in range(3)))
    kept, state = await apply_tool_result_budget(messages, 1_000, ContentReplacementState(), store)
    assert len(state.replaced) == 4
    for block in blocks:
        assert path_in(results_of(kept)[block.tool_use_id].text).read_text() == block.text


async def test_what_cannot_be_written_stays(store: ResultStore) -> None:
    store.directory.write_text("a file where the folder should be")
    messages = conversation(*(big(f"r{n}") for n in range(6)))
    kept, state = await apply_tool_result_budget(messages, 2_000, ContentReplacementState(), store)
    assert kept == tuple(messages) and state.replaced == {}


async def test_images_go_to_files_too(store: ResultStore) -> None:
    shot = ToolResultBlock("shot", (TextBlock("a chart"), PICTURE, PICTURE))
    messages = conversation(shot, *(big(f"r{n}") for n in range(4)))
    kept, _ = await apply_tool_result_budget(messages, 4_500, ContentReplacementState(), store)
    text = results_of(kept)["shot"].text
    paths = re.findall(r"which Read shows: (.+)", text)
    assert list(map(bytes_of, paths)) == [PNG, PNG] and paths[0] != paths[1]
    assert "a chart" in path_in(text).read_text()


async def test_an_image_that_cannot_be_read_keeps_its_result_here(store: ResultStore) -> None:
    shot = ToolResultBlock("shot", (ImageBlock({"type": "base64", "media_type": "image/png", "data": "?"}),))
    messages = conversation(shot, *(big(f"r{n}") for n in range(4)))
    kept, state = await apply_tool_result_budget(messages, 3_500, ContentReplacementState(), store)
    assert "shot" not in state.replaced and results_of(kept)["shot"] is shot


async def test_too_many_bytes_of_images_are_over_the_budget_whatever_their_tokens(store: ResultStore) -> None:
    data = base64.b64encode(b"\x89PNG" + b"x" * 3_000_000).decode()
    shots = [
        ToolResultBlock(f"s{n}", (ImageBlock({"type": "base64", "media_type": "image/png", "data": data}),))
        for n in range(6)
    ]
    messages = conversation(*shots)
    kept, state = await apply_tool_result_budget(messages, 10**6, ContentReplacementState(), store)
    left = [part for block in results_of(kept).values() if not isinstance(block.content, str) for part in block.content]
    assert sum(len(image.source["data"]) for image in left) <= MAX_IMAGE_CHARS
    assert "s0" in state.replaced


def test_a_small_window_has_a_small_budget() -> None:
    assert result_budget(200_000) == result_budget(1_000_000) == 100_000
    assert result_budget(8_000) == 4_000


async def test_a_conversation_that_was_cut_back_is_measured_anew(store: ResultStore) -> None:
    messages = conversation(*(big(f"r{n}") for n in range(8)))
    budget = ResultBudget(store, total(messages) - 1)
    first = await budget.apply(messages)
    shorter = (Message("user", (TextBlock("summary"),)), *messages[-4:])
    assert await budget.apply(shorter) == shorter
    assert await budget.apply(messages) == first


async def test_a_last_message_that_grew_is_measured_anew_and_nothing_else(store: ResultStore) -> None:
    messages = conversation(*(big(f"r{n}") for n in range(4)))
    budget = ResultBudget(store, total(messages) + 500)
    await budget.apply(messages)
    last = Message("user", (*messages[-1].content, big("more")))
    grown = [*messages[:-1], last]
    assert (
        await budget.apply(grown)
        == (await apply_tool_result_budget(grown, budget.budget_tokens, ContentReplacementState(), store))[0]
    )


SIZES = st.lists(st.tuples(st.integers(1, 4_000), st.sampled_from("abc"), st.integers(1, 3)), min_size=1, max_size=25)


@settings(deadline=None)
@given(SIZES, st.integers(500, 20_000), st.integers(1, 4))
async def test_step_by_step(tmp_path_factory: Any, sizes: list[tuple[int, str, int]], tokens: int, newest: int) -> None:
    """At every step of a growing conversation: pairs stay, replaced stays replaced, what is named is there."""
    store = ResultStore(tmp_path_factory.mktemp("results"))
    budget, messages, state = ResultBudget(store, tokens, keep_newest=newest), [], ContentReplacementState()
    earlier: dict[str, str] = {}
    for step, (size, word, number) in enumerate(sizes):
        messages += turn(*(big(f"r{step}-{nth}", size, word) for nth in range(number)))
        kept = await budget.apply(messages)
        pure, state = await apply_tool_result_budget(messages, tokens, state, store, keep_newest=newest)
        assert kept == pure and budget.state == state
        assert [m.role for m in kept] == [m.role for m in messages]
        before, after = results_of(messages), results_of(kept)
        assert list(before) == list(after)
        assert earlier.items() <= state.replaced.items()
        earlier = dict(state.replaced)
        for id, text in state.replaced.items():
            assert after[id].text == text and path_in(text).read_text() == before[id].text
        assert all(after[id] is before[id] for id in before if id not in state.replaced)
        fresh = results_of(messages[-2 * newest :])
        worth = {id: WORTH_UNSEEN_TOKENS if id in fresh else WORTH_TOKENS for id in before}
        could_go = [id for id in before if id not in state.replaced and block_tokens(before[id]) >= worth[id]]
        assert total(kept) <= tokens or not could_go


async def test_a_turn_of_a_long_conversation_costs_little(store: ResultStore) -> None:
    messages = conversation(*(big(f"r{n}", 600 if n % 10 == 0 else 50) for n in range(2_000)))
    budget = ResultBudget(store, 100_000)
    await budget.apply(messages[:-101])
    assert budget.state.replaced
    times = []
    for end in range(len(messages) - 100, len(messages) + 1, 2):
        began = time.perf_counter()
        await budget.apply(tuple(messages[:end]))
        times.append(time.perf_counter() - began)
    assert sorted(times)[len(times) // 2] < 0.001
