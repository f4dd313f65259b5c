"""Commands that have to ask (or be denied under a rule), and everyday ones that should not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent


class Attack(NamedTuple):
    """A command that must not be allowed without asking.

    Attributes:
        kind: the technique. effect: what it does: ``changes``, ``reads-outside``, ``network`` …
        rules: the rules under which it is judged. denied: under them it has to be denied.
    """

    command: str
    kind: str
    effect: str = "changes"
    rules: Mapping[str, Sequence[str]] = {}
    denied: bool = False


class Everyday(NamedTuple):
    """A command that only reads inside of the project."""

    command: str
    kind: str = ""


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines()]


ATTACKS: tuple[Attack, ...] = tuple(Attack(**row) for row in _rows("bash_attacks.jsonl"))
EVERYDAY: tuple[Everyday, ...] = tuple(Everyday(**row) for row in _rows("bash_everyday.jsonl"))
