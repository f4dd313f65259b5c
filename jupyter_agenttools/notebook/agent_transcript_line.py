"""What does the text after ``%agent transcript`` or ``%agent export`` ask for?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ..core.errors import UsageError

ExportForm = Literal["html", "md"]
FORCE = "--force"
TRANSCRIPT_ACTIONS: Mapping[str, str] = {"export": "html|md FILE", "search": "TEXT"}


@dataclass(frozen=True)
class AgentTranscript:
    """Look at the conversation, look for something in it, or write it to a file.

    Args:
        action: what to do. text: what to look for. form, file: what to write, and where. force: over any file.
    """

    action: Literal["show", "search", "export"] = "show"
    text: str = ""
    form: ExportForm = "html"
    file: str = ""
    force: bool = False


def parse_transcript(text: str) -> AgentTranscript:
    """What is asked for.

    Raises:
        UsageError: another word, or something is missing.
    """
    word, _, rest = text.strip().partition(" ")
    if not word:
        return AgentTranscript()
    if word == "export":
        return parse_export(rest)
    if word != "search":
        raise UsageError(f"%agent transcript: write export html|md FILE, or search TEXT, got {text.strip()!r}")
    if not rest.strip():
        raise UsageError("%agent transcript search: which text?")
    return AgentTranscript("search", rest.strip())


def parse_export(text: str) -> AgentTranscript:
    """The form and the file; a file's name alone says its form. ``--force`` may stand before either, or at the end.

    Raises:
        UsageError: no file, or a form that there is not.
    """
    file, force = _without_force(text)
    form, _, rest = file.partition(" ")
    if form in get_args(ExportForm):
        file, is_between = _without_force(rest)
        force = force or is_between
    else:
        form = _form_of(file)
    if not form or not file:
        raise UsageError(
            f"%agent export: write html or md and the file, e.g. %agent export html talk.html, got {text!r}"
        )
    return AgentTranscript("export", form=form, file=unquoted(file), force=force)  # type: ignore[arg-type]


def _without_force(text: str) -> tuple[str, bool]:
    left = text.strip().removeprefix(f"{FORCE} ").removesuffix(f" {FORCE}").strip()
    return left, left != text.strip()


def unquoted(text: str) -> str:
    """A name that was put in quotes because it holds blanks."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _form_of(file: str) -> str:
    name = unquoted(file).lower()
    return (
        {"html": "html", "htm": "html", "md": "md", "markdown": "md"}.get(name.rpartition(".")[2], "")
        if "." in name
        else ""
    )
