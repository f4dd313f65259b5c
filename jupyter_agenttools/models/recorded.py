"""A model that answers from a recording, with no key and no network; and how one is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Literal

from ..core.blocks import ToolUse, new_tool_use_id
from ..core.errors import ModelError, ReplayMismatchError
from ..core.usage import Usage
from .asked import PARTS, Asked, AskedReader, fingerprint
from .cassette import (
    Cassette,
    PartLine,
    Recorded,
    RetryLine,
    StopLine,
    TextLine,
    ThinkingLine,
    ToolUseLine,
    read_cassette,
)
from .differences import difference
from .faults import Fault
from .folders import Folders, map_texts
from .protocol import Model, ModelPart, ModelRequest, RetryPart, StopPart, TextPart, ThinkingPart, ToolUsePart
from .recording import RecordingModel
from .runs import runs, text_of, unsigned, with_text
from .tape import Existing

Match = Literal["strict", "conversation"]
"""What must be as it was recorded: the whole request, or its messages alone."""

_COMPARED: Mapping[Match, tuple[str, ...]] = {"strict": PARTS, "conversation": ("messages",)}


class RecordedModel:
    """Plays the exchanges of a recording in the order in which they were asked.

    What is asked is compared first. The same in every run, and so left out of that, are: the ids of calls (they are
    numbered), the folders that have a name (they are put in where they are now), secrets, the bytes of images (their
    hash stays) and the signatures of thoughts. Times, process ids and random names in the results of tools are not:
    where a tool says something else than when it was recorded, the replay stops and shows it.

    Requests that overlapped when they were recorded may come in any order. A replay may begin in the middle: with the
    first exchange that is what is asked first.

    Args:
        match: see :data:`Match`.
        folders: as for :meth:`record`.
        pace: 1 plays as slowly as it was recorded, 0 at once, 0.5 twice as fast.
    """

    provider = "replay"

    def __init__(self, cassette: Cassette, *, match: Match = "strict", folders: Folders, pace: float = 0.0) -> None:
        self.cassette = cassette
        self.name = f"replay of {cassette.head.model}"
        windows = [each.exchange.context_window for each in cassette.exchanges if each.exchange.context_window]
        self.context_window: int | None = windows[-1] if windows else None
        self._match, self._folders, self._pace = match, folders, pace
        self._reader = AskedReader(folders)
        self._left = list(cassette.exchanges)
        self._began = False

    @staticmethod
    def record(
        model: Model,
        path: str | Path,
        *,
        existing: Existing = "own",
        cwd: str | Path | None = None,
        folders: Mapping[str, str | Path] | None = None,
    ) -> RecordingModel:
        """A model that answers as ``model`` does and writes a recording.

        Args:
            path: of the file, e.g. ``lesson.jsonl``.
            existing: what becomes of a file that is there already, see :data:`Existing`. By default the recording that
                this process began is gone on with, so that several cells can record one conversation.
            cwd: the working directory, by default that of the process. It and the home folder are written by name.
            folders: further folders by name.

        Raises:
            UsageError: the file cannot be made, or is there already.
        """
        return RecordingModel(model, path, folders=usual_folders(cwd, folders), existing=existing)

    @classmethod
    def replay(
        cls,
        path: str | Path,
        match: Match = "strict",
        *,
        pace: float = 0.0,
        cwd: str | Path | None = None,
        folders: Mapping[str, str | Path] | None = None,
    ) -> RecordedModel:
        """A model that answers from the recording in ``path``; arguments as for :meth:`record`.

        Raises:
            UsageError: it cannot be read.
        """
        return cls(read_cassette(path), match=match, folders=usual_folders(cwd, folders), pace=pace)

    @property
    def exchanges_left(self) -> int:
        """How many exchanges have not been played."""
        return len(self._left)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        import anyio

        exchange = self._take(self._reader.read(request)).exchange
        used = {block.id for message in request.messages for block in message.content if isinstance(block, ToolUse)}
        parts = self._parts(exchange.parts, used)
        before = 0.0
        for line, part in zip(exchange.parts, parts, strict=True):
            await anyio.sleep(max(0.0, line.ms - before) / 1000 * self._pace)
            before = line.ms
            yield part
        if exchange.fault is not None:
            raise Fault(exchange.fault.kind, exchange.fault.message, exchange.fault.retry_after_s).error()
        if exchange.end == "left":
            raise ModelError(
                f"{self._place(exchange.number)}: whoever recorded it left this answer here; no more of it is known"
            )

    def _parts(self, lines: list[PartLine], used: set[str]) -> list[ModelPart]:
        """What was answered, with the folders of this machine in it.

        Args:
            used: the ids of calls that the conversation holds already.
        """
        placed: list[ModelPart] = []
        for run in runs([self._part(line, used) for line in lines]):
            shown = with_text(run, self._folders.place)
            last = lines[len(placed) + len(run) - 1]
            if isinstance(last, ThinkingLine) and last.signed and last.signed != fingerprint(text_of(shown)):
                shown = unsigned(shown)
            placed += shown
        return placed

    def _part(self, line: PartLine, used: set[str]) -> ModelPart:
        match line:
            case TextLine():
                return TextPart(line.text)
            case ThinkingLine():
                return ThinkingPart(line.text, line.signature)
            case ToolUseLine():
                id = new_tool_use_id() if line.id in used else line.id
                use = ToolUse(line.name, map_texts(line.input, self._folders.place), id)
                return ToolUsePart(use, self._folders.place(line.problem))
            case RetryLine():
                return RetryPart(self._folders.place(line.why), line.delay_s, line.attempt)
            case StopLine():
                usage = Usage(**dict(line.usage)) if line.usage is not None else None
                return StopPart(line.reason, usage, self._folders.place(line.detail))

    # ---- which exchange

    def _take(self, asked: Asked) -> Recorded:
        """The next exchange, or one that overlapped it; for the first request the first exchange that fits.

        Raises:
            ReplayMismatchError: none of them is what is asked; says which part differs, and how.
        """
        if not self._left:
            raise ReplayMismatchError(self._no_more())
        first = self._left[0]
        may_come = [first, *(each for each in self._left[1:] if not self._began or _overlap(each, first))]
        found = next((each for each in may_come if not self._differing(each, asked)), None)
        if found is None:
            shown = first if self._began else min(self._left, key=lambda each: abs(each.size - len(asked.messages)))
            raise ReplayMismatchError(self._mismatch(shown, asked))
        if not self._began:
            self._left = [each for each in self._left if each is found or not _ended_before(each, found)]
        self._began = True
        self._left.remove(found)
        return found

    def _differing(self, recorded: Recorded, asked: Asked) -> list[str]:
        """The parts that are not as they were recorded."""
        then = recorded.exchange.fingerprints
        return [part for part in _COMPARED[self._match] if getattr(then, part) != asked.fingerprints[part]]

    def _no_more(self) -> str:
        count = len(self.cassette.exchanges)
        if self.cassette.torn:
            return f"the recording {self.cassette.path} ends after exchange {count}: {self.cassette.torn}. Record anew"
        return (
            f"the recording {self.cassette.path} has no more exchanges: all {count} were played, and the model is "
            "asked once more. Record anew, or replay it from its beginning"
        )

    def _mismatch(self, recorded: Recorded, asked: Asked) -> str:
        parts = self._differing(recorded, asked)
        shown = "\n".join(difference(recorded.part(part), getattr(asked, part)) for part in parts[:2])
        names = " and ".join(f"`{part}`" for part in parts)
        ways = "Record anew" if "messages" in parts else "Record anew, or replay with match='conversation'"
        return (
            f"{self._place(recorded.exchange.number)}: what is asked differs in {names} (- recorded, + asked now):\n"
            f"{shown}\n{ways}"
        )

    def _place(self, number: int) -> str:
        return f"recording {self.cassette.path}, exchange {number} of {len(self.cassette.exchanges)}"


def _overlap(one: Recorded, other: Recorded) -> bool:
    return not (_ended_before(one, other) or _ended_before(other, one))


def _ended_before(one: Recorded, other: Recorded) -> bool:
    """Whether the answer of ``one`` was over when ``other`` was asked."""
    return one.exchange.number < other.exchange.number and one.exchange.ended_s <= other.exchange.began_s


def usual_folders(cwd: str | Path | None = None, more: Mapping[str, str | Path] | None = None) -> Folders:
    """The folders that a recording holds by name: the working directory, the home folder, and ``more``."""
    return Folders({"home": Path.home(), **(more or {}), "cwd": Path(cwd).absolute() if cwd else Path.cwd()})
