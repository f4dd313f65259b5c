"""What a form consists of: its fields as data, and what was wrong with what was typed into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..core.errors import UsageError

FieldKind = Literal["text", "integer", "number", "boolean", "choice", "json"]


@dataclass(frozen=True)
class Choice:
    """One value that a field can have, and how it is shown and typed."""

    label: str
    value: Any


@dataclass(frozen=True)
class FormField:
    """One field.

    Args:
        name: of the field in the input.
        kind: how it is filled in.
        required: whether it must be.
        description: what it is, one or more sentences; ``""`` where the tool does not say.
        default: the text that stands in the form at first; ``""`` leaves an optional field out.
        choices: for ``choice``.
        nullable: ``null`` is a value of it.
        multiline: its text has many lines, such as that of a file.
        example: how a value looks, for ``json``, e.g. ``[{"content": "…", "status": "pending"}]``.
    """

    name: str
    kind: FieldKind
    required: bool
    description: str = ""
    default: str = ""
    choices: tuple[Choice, ...] = ()
    nullable: bool = False
    multiline: bool = False
    example: str = ""


@dataclass(frozen=True)
class ToolForm:
    """The form for one tool. ``summary`` is the first line of what the tool says of itself."""

    tool: str
    summary: str
    fields: tuple[FormField, ...]


class FormError(UsageError):
    """What was typed is no input. ``problems`` has the words for each field, ``""`` those for the whole form."""

    def __init__(self, tool: str, problems: Mapping[str, str]) -> None:
        told = "; ".join(f"`{name}`: {words}" if name else words for name, words in problems.items())
        super().__init__(f"{tool}: {told}")
        self.problems = dict(problems)
