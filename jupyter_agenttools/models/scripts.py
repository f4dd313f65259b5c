"""Reading scripts: from written turns, as plain data, to :class:`Turn`; every fault names the turn and the key."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ..core.blocks import TextBlock, ThinkingBlock, ToolUse
from ..core.errors import UsageError
from ..core.usage import Usage
from .faults import Fault
from .turns import STOP_REASONS, RawToolUse, Turn, TurnBlock

TurnSource = Any
"""What a turn may be written as: a text, a block, a list of blocks, a mapping with the keys of :data:`TURN_KEYS`, a
:class:`Turn`, a :class:`Fault`, or a function of the messages so far that returns one of these."""

TURN_KEYS = (
    "text", "thinking", "tool_uses", "content", "stop_reason", "detail", "usage", "delay_ms", "error", "message",
    "retry_after_s", "cut",
)  # fmt: skip
"""``content`` is a list of blocks; ``thinking``, ``text`` and ``tool_uses`` in place of it come in this order."""

BLOCK_KEYS: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "delay_ms"),
    "thinking": ("thinking", "signature", "delay_ms"),
    "tool_use": ("name", "input", "raw_input", "id", "delay_ms"),
}

SCRIPT_KEYS = ("turns", "delay_ms", "context_window")


def turns_of(data: Any, where: str) -> tuple[list[Any], dict[str, Any]]:
    """The written turns of a script, and what it says beside them (``delay_s``, ``context_window``).

    Raises:
        UsageError: it is neither a list of turns nor an object with ``turns``, or has unknown keys.
    """
    if not isinstance(data, Mapping):
        data = {"turns": data}
    if not isinstance(data.get("turns"), list):
        raise UsageError(f"{where}: expected a list of turns, or an object with `turns`")
    _refuse_unknown(data, SCRIPT_KEYS, where, "a script")
    beside: dict[str, Any] = {}
    if "delay_ms" in data:
        beside["delay_s"] = _seconds(data, "delay_ms", where)
    if "context_window" in data:
        if not _is_count(data["context_window"]):
            raise UsageError(f"{where}: `context_window` is a number of tokens, not {data['context_window']!r}")
        beside["context_window"] = data["context_window"]
    return data["turns"], beside


def read_turn(source: TurnSource, number: int) -> Turn:
    """The turn that is written as ``source``.

    Raises:
        UsageError: it cannot be read; names the turn, and the key where there is one.
    """
    where = f"turn {number}"
    if isinstance(source, Turn):
        return source
    if isinstance(source, Fault):
        return Turn(fault=source)
    if isinstance(source, (TextBlock, ThinkingBlock, ToolUse, RawToolUse)):
        return Turn((source,))
    if isinstance(source, Mapping):
        return _turn(source, where) if "type" not in source and not _is_bare_call(source) else _of([source], where)
    if isinstance(source, str):
        return Turn((TextBlock(source),))
    if isinstance(source, Sequence) and not isinstance(source, (bytes, bytearray)):
        return _of(source, where)
    raise UsageError(f"{where}: a turn is a text, a block or a list of blocks, not {type(source).__name__}")


def _is_bare_call(source: Mapping[str, Any]) -> bool:
    return "name" in source


def _turn(source: Mapping[str, Any], where: str) -> Turn:
    _refuse_unknown(source, TURN_KEYS, where, "a turn")
    for key in ("tool_uses", "content"):
        if key in source and not isinstance(source[key], (list, tuple)):
            raise UsageError(f"{where}: `{key}` is a list of blocks, not {type(source[key]).__name__}")
    pieces = [key for key in ("thinking", "text", "tool_uses") if source.get(key) is not None]
    if "content" in source and pieces:
        raise UsageError(f"{where}: `content` stands in place of `{pieces[0]}`; write all blocks into `content`")
    blocks = list(source.get("content") or ())
    for key in pieces:
        blocks += source[key] if key == "tool_uses" else [{"type": key, key: source[key]}]
    reason = source.get("stop_reason")
    if reason is not None and reason not in STOP_REASONS:
        raise UsageError(f"{where}: `stop_reason` is one of {', '.join(STOP_REASONS)}, not {reason!r}")
    cut = source.get("cut", False)
    if not isinstance(cut, bool):
        raise UsageError(f"{where}: `cut` is true or false, not {cut!r}")
    fault = _fault(source, where)
    if (cut or fault) and (extra := [k for k in ("stop_reason", "usage", "detail") if k in source]):
        raise UsageError(f"{where}: an answer that breaks off has no `{extra[0]}`")
    if cut and fault:
        raise UsageError(f"{where}: `cut` and `error` exclude each other: both are the end of the stream")
    return _of(
        blocks,
        where,
        stop_reason=reason,
        detail=_text(source, "detail", where),
        usage=_usage(source["usage"], where) if source.get("usage") is not None else None,
        fault=fault,
        cut=cut,
        delay_s=_seconds(source, "delay_ms", where) if "delay_ms" in source else None,
    )


def _of(sources: Sequence[Any], where: str, **fields: Any) -> Turn:
    """A turn of written blocks."""
    delays = {
        index: _seconds(source, "delay_ms", where)
        for index, source in enumerate(sources)
        if isinstance(source, Mapping) and not isinstance(source, TurnBlock) and "delay_ms" in source
    }
    return Turn(tuple(_block(source, where) for source in sources), delays_s=delays, **fields)


def _block(source: Any, where: str) -> TurnBlock:
    if isinstance(source, (TextBlock, ThinkingBlock, ToolUse, RawToolUse)):
        return source
    if isinstance(source, str):
        return TextBlock(source)
    if not isinstance(source, Mapping):
        raise UsageError(f"{where}: {source!r} is neither a text nor a block")
    kind = source.get("type", next((k for k, key in _TELLING if key in source), None))
    if not isinstance(kind, str) or kind not in BLOCK_KEYS:
        given = f"type {kind!r}" if kind is not None else f"keys {', '.join(map(repr, source)) or 'none'}"
        raise UsageError(
            f"{where}: a block with {given} is neither a text (`text`), a thought (`thinking`) nor a tool_use "
            "(`name` and `input`)"
        )
    _refuse_unknown(source, ("type", *BLOCK_KEYS[kind]), where, f"a block of {kind}")
    if kind == "text":
        return TextBlock(_text(source, "text", where, required=True))
    if kind == "thinking":
        return ThinkingBlock(_text(source, "thinking", where, required=True), _text(source, "signature", where) or None)
    return _tool_use(source, where)


_TELLING = (("text", "text"), ("thinking", "thinking"), ("tool_use", "name"))


def _tool_use(source: Mapping[str, Any], where: str) -> ToolUse | RawToolUse:
    name = _text(source, "name", where, required=True)
    given = {"id": id} if (id := _text(source, "id", where)) else {}
    if "raw_input" in source:
        if "input" in source:
            raise UsageError(f"{where}: {name} has `input` and `raw_input`; one of them is its input")
        return RawToolUse(name, _text(source, "raw_input", where), **given)
    input = source.get("input")
    if input is not None and not isinstance(input, Mapping):
        raise UsageError(
            f"{where}: the `input` of {name} is an object, not {type(input).__name__}. To show a model that writes "
            "something else, give the text in `raw_input`"
        )
    return ToolUse(name, input or {}, **given)


def _fault(source: Mapping[str, Any], where: str) -> Fault | None:
    if "error" not in source:
        if extra := [key for key in ("message", "retry_after_s") if key in source]:
            raise UsageError(f"{where}: `{extra[0]}` goes with `error`")
        return None
    after = _number(source, "retry_after_s", where) if source.get("retry_after_s") is not None else None
    try:
        return Fault(_text(source, "error", where, required=True), _text(source, "message", where), after)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error


def _usage(source: Any, where: str) -> Usage:
    names = [f.name for f in fields(Usage)]
    if isinstance(source, Usage):
        return source
    if not isinstance(source, Mapping):
        raise UsageError(f"{where}: `usage` is an object with {', '.join(names)}")
    _refuse_unknown(source, names, where, "usage")
    for key, value in source.items():
        if not _is_count(value):
            raise UsageError(f"{where}: usage `{key}` is a number of tokens, not {value!r}")
    return Usage(**source)


# ---- single values


def _refuse_unknown(source: Mapping[Any, Any], known: Sequence[str], where: str, what: str) -> None:
    for key in source:
        if key not in known:
            raise UsageError(f"{where}: unknown key {key!r}; {what} has {', '.join(f'`{k}`' for k in known)}")


def _text(source: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> str:
    value = source.get(key, None if required else "")
    if not isinstance(value, str):
        raise UsageError(f"{where}: `{key}` is a text, not {value!r}")
    if required and not value and key in ("name", "error"):
        raise UsageError(f"{where}: `{key}` is empty")
    return value


def _seconds(source: Mapping[str, Any], key: str, where: str) -> float:
    return _number(source, key, where) / 1000


def _number(source: Mapping[str, Any], key: str, where: str) -> float:
    value = source[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not (0 <= value < math.inf):
        raise UsageError(f"{where}: `{key}` is a number from 0, not {value!r}")
    return float(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
