"""How much of a conversation may be results of tools? Old big ones give way to the path where the whole is kept.

What was once replaced stays replaced, by the very same text: providers read the unchanged beginning of a request from
their cache. For the same reason nothing happens below the budget, and above it enough is taken out for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import anyio.to_thread

from ..core.blocks import ImageBlock, Message, TextBlock, ToolResultBlock
from ..core.immutable import freeze
from ..core.rough_tokens import block_tokens
from ..core.sequences import same_beginning
from .clip import clip
from .store import PERSISTED_OUTPUT_TAG, KeptResult, ResultStore

BUDGET_TOKENS = 100_000
"""Tokens of all results together, half of the usual window. From there on Anthropic's context editing takes results out
by default; see :func:`result_budget` for other windows."""

BUDGET_SHARE = 0.5
"""Of a smaller window."""

KEPT_NEWEST = 3
"""So many of the newest messages with results stay whole; the default of that editing too, which counts single ones."""

LOW_SHARE = 0.6
"""Down to this part of the budget results are taken out at once, so that it has to be done seldom."""

WORTH_TOKENS = 500
"""A smaller result stays: the text in its place would save too little."""

MAX_IMAGE_CHARS = 20_000_000
"""Base64 characters of all images in results. A request of more than 32 MB is refused."""

UNSEEN_CHARS = 2_000
"""What is shown of a result that has to be taken out before the model has seen it."""

WORTH_UNSEEN_TOKENS = 2_000
"""A smaller one of these stays."""


def result_budget(window: int) -> int:
    """How many tokens the results may have, in a model's window of ``window`` tokens."""
    return min(BUDGET_TOKENS, int(window * BUDGET_SHARE))


@dataclass(frozen=True)
class ContentReplacementState:
    """Which results were replaced in a conversation, and by what.

    Args:
        replaced: the text that stands for a result, by the id of its call.
    """

    replaced: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        object.__setattr__(self, "replaced", freeze(self.replaced))

    def with_replaced(self, replaced: Mapping[str, str]) -> ContentReplacementState:
        """The same with more; what is there already stays."""
        return ContentReplacementState({**replaced, **self.replaced})


async def apply_tool_result_budget(
    messages: Sequence[Message],
    budget_tokens: int,
    state: ContentReplacementState,
    store: ResultStore,
    *,
    keep_newest: int = KEPT_NEWEST,
) -> tuple[tuple[Message, ...], ContentReplacementState]:
    """The messages with their results within the budget, and what is replaced by now. See :class:`ResultBudget`."""
    budget = ResultBudget(store, budget_tokens, keep_newest=keep_newest, state=state)
    return await budget.apply(messages), budget.state


class ResultBudget:
    """Keeps the results in one growing conversation within a budget.

    Two equal results come first: of these the older one goes. Then the oldest go. The newest stay, unless they alone
    are over the budget; then the biggest of them are cut to their beginning and end. A result goes only once all of it
    is on disk; one that cannot be written stays as it is.

    Args:
        store: keeps what is taken out.
        budget_tokens: of all results together.
        keep_newest: so many of the newest messages with results stay.
        state: what was replaced before.
    """

    def __init__(
        self,
        store: ResultStore,
        budget_tokens: int = BUDGET_TOKENS,
        *,
        keep_newest: int = KEPT_NEWEST,
        state: ContentReplacementState | None = None,
    ) -> None:
        self.state = state or ContentReplacementState()
        self.budget_tokens = budget_tokens
        self._store = store
        self._keep_newest = max(keep_newest, 1)
        self._seen: Sequence[Message] = ()
        self._out: list[Message] = []
        self._results: list[_Place] = []
        self._size = _Size(0, 0)
        self._settled = 0
        self._unwritten: set[str] = set()

    async def apply(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages to send. Those of the session stay whole; what is unchanged is the very same object."""
        self._catch_up(messages)
        if self._exceeds(self._size, 1.0):
            await self._make_room()
        return tuple(self._out)

    # ---- what is there

    def _forget_from(self, at: int) -> None:
        """The conversation is another one from this message on."""
        del self._out[at:]
        while self._results and self._results[-1].message >= at:
            self._size -= self._results.pop().size
        self._settled = min(self._settled, len(self._results))

    def _catch_up(self, messages: Sequence[Message]) -> None:
        known = same_beginning(self._seen, messages)
        self._forget_from(known)
        for at, message in enumerate(messages[known:], known):
            self._out.append(self._replaced(message))
            places = [
                _Place(at, nth, block, _size(block))
                for nth, block in enumerate(self._out[-1].content)
                if isinstance(block, ToolResultBlock)
            ]
            self._results += places
            self._size = sum((place.size for place in places), self._size)
        self._seen = tuple(messages)

    def _replaced(self, message: Message) -> Message:
        if not self.state.replaced or message.role != "user":
            return message
        texts = [self._text_for(block) for block in message.content]
        if not any(text is not None for text in texts):
            return message
        pairs = zip(message.content, texts, strict=True)
        return replace(message, content=tuple(b if text is None else replace(b, content=text) for b, text in pairs))

    def _text_for(self, block: Any) -> str | None:
        return self.state.replaced.get(block.tool_use_id) if isinstance(block, ToolResultBlock) else None

    def _exceeds(self, size: _Size, share: float) -> bool:
        return size.tokens > self.budget_tokens * share or size.image_chars > MAX_IMAGE_CHARS * share

    # ---- making room

    async def _make_room(self) -> None:
        newest = self._first_of_newest()
        self._skip_settled(newest)
        old = [place for place in self._results[self._settled : newest] if self._may_go(place, WORTH_TOKENS)]
        twice = _older_twins(old, self._results) if old else []
        await self._take_out([*twice, *(place for place in old if place not in twice)], LOW_SHARE, _gone_text)
        fresh = [place for place in self._results[newest:] if self._may_go(place, WORTH_UNSEEN_TOKENS)]
        await self._take_out(sorted(fresh, key=lambda place: -place.size.tokens), 1.0, _preview_text)

    def _first_of_newest(self) -> int:
        """From which result on they stay."""
        messages: set[int] = set()
        for at in range(len(self._results) - 1, -1, -1):
            messages.add(self._results[at].message)
            if len(messages) > self._keep_newest:
                return at + 1
        return 0

    def _skip_settled(self, newest: int) -> None:
        """Go past the oldest results that will never go, or have gone: they are not looked at again."""
        while self._settled < newest and not self._may_go(self._results[self._settled], WORTH_TOKENS):
            self._settled += 1

    def _may_go(self, place: _Place, worth: int) -> bool:
        id = place.block.tool_use_id
        return place.size.tokens >= worth and id not in self.state.replaced and id not in self._unwritten

    async def _take_out(self, places: Sequence[_Place], share: float, text: TextFor) -> None:
        """Take results out, in this order, until so much of the budget is left."""
        while places and self._exceeds(self._size, share):
            chosen = self._first_of(places, share)
            places = places[len(chosen) :]
            kept = await anyio.to_thread.run_sync(self._keep, chosen)
            texts = {block.tool_use_id: text(block, where) for block, where in kept}
            self.state = self.state.with_replaced(texts)
            self._unwritten.update(place.block.tool_use_id for place in chosen if place.block.tool_use_id not in texts)
            self._rewrite({place.message for place in chosen if place.block.tool_use_id in texts})

    def _first_of(self, places: Sequence[_Place], share: float) -> Sequence[_Place]:
        """So many of them as seem enough; the texts that will stand for them are not counted yet."""
        left = self._size
        for number, place in enumerate(places):
            if not self._exceeds(left, share):
                return places[:number]
            left -= place.size
        return places

    def _keep(self, places: Sequence[_Place]) -> list[tuple[ToolResultBlock, KeptResult]]:
        """Have these on disk; those that cannot be are not among what comes back."""
        kept = []
        for place in places:
            try:
                kept.append((place.block, self._store.keep(place.block)))
            except (OSError, ValueError):
                continue
        return kept

    def _rewrite(self, changed: set[int]) -> None:
        """Make these messages anew, and see how big everything is now."""
        for at in changed:
            self._out[at] = self._replaced(self._out[at])
        self._results = [self._measured_again(p) if p.message in changed else p for p in self._results]
        self._size = sum((place.size for place in self._results), _Size(0, 0))

    def _measured_again(self, place: _Place) -> _Place:
        block = self._out[place.message].content[place.nth]
        return place if block is place.block else _Place(place.message, place.nth, block, _size(block))


class _Size(NamedTuple):
    tokens: int
    image_chars: int

    def __add__(self, other: _Size) -> _Size:  # type: ignore[override]
        return _Size(self.tokens + other.tokens, self.image_chars + other.image_chars)

    def __sub__(self, other: _Size) -> _Size:
        return _Size(self.tokens - other.tokens, self.image_chars - other.image_chars)


class _Place(NamedTuple):
    """A result in the conversation: in which message, as which of its blocks."""

    message: int
    nth: int
    block: ToolResultBlock
    size: _Size


TextFor = Callable[[ToolResultBlock, KeptResult], str]


def _size(block: ToolResultBlock) -> _Size:
    return _Size(block_tokens(block), sum(len(image.source.get("data", "")) for image in _images(block)))


def _images(block: ToolResultBlock) -> list[ImageBlock]:
    return [] if isinstance(block.content, str) else [part for part in block.content if isinstance(part, ImageBlock)]


def _older_twins(old: Sequence[_Place], every: Sequence[_Place]) -> list[_Place]:
    """Those of the old results whose content comes again later."""
    last = {_content(place.block): (place.message, place.nth) for place in every}
    return [place for place in old if last[_content(place.block)] != (place.message, place.nth)]


def _content(block: ToolResultBlock) -> Any:
    if isinstance(block.content, str):
        return block.content
    return tuple(part.text if isinstance(part, TextBlock) else part.source.get("data") for part in block.content)


def _gone_text(block: ToolResultBlock, kept: KeptResult) -> str:
    return _text(block, kept, "taken out of the conversation to save room", "")


def _preview_text(block: ToolResultBlock, kept: KeptResult) -> str:
    return _text(block, kept, "too much to be shown beside the others", f"\n{clip(block.text, UNSEEN_CHARS)}")


def _text(block: ToolResultBlock, kept: KeptResult, why: str, shown: str) -> str:
    cut = f"; the file holds the first {kept.size:,} bytes" if kept.is_cut else ""
    images = "".join(f"\nAn image of it, which Read shows: {image}" for image in kept.images)
    return (
        f"<{PERSISTED_OUTPUT_TAG}>\nThis result has {len(block.text):,} characters and was {why}. "
        f"All of it: {kept.path}{cut}\n"
        f"Read that file with offset and limit to see more.{images}{shown}\n</{PERSISTED_OUTPUT_TAG}>"
    )
