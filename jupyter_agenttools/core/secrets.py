"""Which parts of a text are secret? Taken out of everything that is kept: transcripts, recordings, error messages.

Two things are secret: what has the shape of a key, a token or a password (``secret_shapes``), and what a variable holds
whose name says so (``secret_values``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from .secret_shapes import ANCHORS, find_shapes
from .secret_values import SecretValues

REDACTED = "[redacted]"
REDACTION = "[redacted"
"""How everything begins that stands for a secret."""

_values = SecretValues()
_ANCHORS = tuple(each for each in ANCHORS if not any(other != each and other in each for other in ANCHORS))
"""Without those that hold another one; each costs a search."""


def has_secret(text: str) -> bool:
    """Whether anything in ``text`` is secret."""
    return holds_known_value(text) or any(True for _ in find_shapes(text))


def may_hold_secret(line: bytes) -> bool:
    """Whether a JSON text (UTF-8) needs a closer look. Costs a few microseconds, and ``False`` is certain."""
    text = line.decode("utf-8", "replace")  # a search in a str takes half as long as one in bytes
    return _has_anchor(text) or any(each.in_json in text for each in _values.current())


_clean: set[str] = set()
"""What stood between quotation marks lately and has no anchor: most of a line has been in the lines before it."""
_MAX_CLEAN, _MAX_CLEAN_CHARS = 10_000, 1_000


def _has_anchor(text: str) -> bool:
    new = '"'.join(set(text.split('"')) - _clean)  # no anchor has a quotation mark in it
    if any(map(new.__contains__, _ANCHORS)):
        return True
    if len(new) <= _MAX_CLEAN_CHARS:
        if len(_clean) > _MAX_CLEAN:
            _clean.clear()
        _clean.update(new.split('"'))
    return False


def are_known_clean(texts: Iterable[str]) -> bool:
    """Whether nothing in these texts is secret; quick for the few that are written again and again."""
    version = _values.version()
    return all(_is_clean(text, version) for text in texts)


@lru_cache(maxsize=4096)
def _is_clean(text: str, version: int) -> bool:
    return not has_secret(text)


def secrets_version() -> int:
    """A number that is another one whenever more has come to be secret."""
    return _values.version()


def redact(text: str) -> str:
    """``text`` with every secret replaced: by ``[redacted]`` where its shape gave it away (what comes before it, such
    as ``sk-ant-``, stays), else by ``[redacted: NAME]`` with the name of the variable that holds it."""
    for secret in _values.current():
        if secret.value in text:
            text = text.replace(secret.value, f"[redacted: {secret.name}]")
    found = sorted(find_shapes(text), key=lambda each: (each.start, -each.end))
    if not found:
        return text
    parts, at = [], 0
    for each in found:
        if each.start >= at:
            parts += (text[at : each.start], REDACTED)
        at = max(at, each.end)
    return "".join((*parts, text[at:]))


def redact_json(value: Any) -> Any:
    """The same JSON data with :func:`redact` on every text in it, keys included; nothing is left out, whatever it calls
    itself. What is no JSON becomes text. For messages see ``secret_blocks``."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {redact(str(key)): redact_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_json(item) for item in value]
    return redact(value if isinstance(value, str) else str(value))


def holds_known_value(text: str) -> bool:
    """Whether the value of a secret variable is in ``text``; for what must not be changed because of its shape."""
    return any(each.value in text for each in _values.current())


def know_secrets(variables: Mapping[str, str]) -> None:
    """Let the values of those of these variables be secret whose names say so, as those of the environment are."""
    _values.add(variables)
