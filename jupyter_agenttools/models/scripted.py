"""A model that plays turns written beforehand: for teaching, for demonstrations and for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from ..core.blocks import Message, TextBlock
from ..core.errors import UsageError
from .protocol import ModelPart, ModelRequest
from .script_files import read_data, read_json, read_yaml
from .scripts import TurnSource, read_turn, turns_of
from .turns import Turn, play

ENDED = Turn((TextBlock("(The script has no more turns.)"),))


class ScriptedModel:
    """Plays ``turns`` one after the other, whatever it is asked.

    Args:
        turns: see :data:`TurnSource`; wire blocks (``{"type": "tool_use", "name": …, "input": …}``) are understood.
        delay_s: seconds before each piece that it streams, where a turn or a block has no ``delay_ms`` of its own.
        context_window: tokens that it pretends to have room for, ``None`` says nothing.

    Raises:
        UsageError: a turn that cannot be read; names its number.
    """

    name = "scripted"
    provider = "scripted"

    def __init__(self, turns: Sequence[TurnSource], *, delay_s: float = 0.0, context_window: int | None = None) -> None:
        self._turns = [turn if callable(turn) else read_turn(turn, n) for n, turn in enumerate(turns, 1)]
        self._next = 0
        self._delay_s = delay_s
        self.context_window = context_window

    @classmethod
    def from_json(cls, text: str, *, where: str = "the script", delay_s: float = 0.0) -> ScriptedModel:
        """A model of the script in ``text``: a JSON array of turns, or an object with ``turns``.

        Raises:
            UsageError: not JSON (names line and column), or a turn that cannot be read.
        """
        return cls._of(read_json(text, where), where, delay_s)

    @classmethod
    def from_yaml(cls, text: str, *, where: str = "the script", delay_s: float = 0.0) -> ScriptedModel:
        """The same for YAML.

        Raises:
            UsageError: not YAML (names line and column), or a turn that cannot be read.
        """
        return cls._of(read_yaml(text, where), where, delay_s)

    @classmethod
    def from_text(cls, text: str, *, where: str = "the script", delay_s: float = 0.0) -> ScriptedModel:
        """The same for either: a text that begins with ``[`` or ``{`` is JSON, any other one YAML.

        Raises:
            UsageError: it cannot be read, see above.
        """
        return cls._of(read_data(text, where), where, delay_s)

    @classmethod
    def load(cls, path: str | Path, *, delay_s: float = 0.0) -> ScriptedModel:
        """A model of the script in a file: YAML where its name ends in ``.yaml`` or ``.yml``, JSON in ``.json``, any
        other one by how it begins.

        Raises:
            UsageError: the file cannot be read, see above.
        """
        path = Path(path).expanduser()
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"script {path}: {error}") from error
        readers = {".json": cls.from_json, ".yaml": cls.from_yaml, ".yml": cls.from_yaml}
        return readers.get(path.suffix.lower(), cls.from_text)(text, where=str(path), delay_s=delay_s)

    @classmethod
    def _of(cls, data: object, where: str, delay_s: float) -> ScriptedModel:
        turns, beside = turns_of(data, where)
        try:
            return cls(turns, **{"delay_s": delay_s, **beside})
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from error

    @property
    def turns_left(self) -> int:
        """How many turns have not been played."""
        return len(self._turns) - self._next

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        async for part in play(self._take(request.messages), self._delay_s):
            yield part

    def _take(self, messages: tuple[Message, ...]) -> Turn:
        if not self.turns_left:
            return ENDED
        source: Turn | Callable[[tuple[Message, ...]], TurnSource] = self._turns[self._next]
        self._next += 1
        return read_turn(source(messages), self._next) if callable(source) else source
