"""Which file does a path given by a model mean?"""

from __future__ import annotations

import difflib
import os
import unicodedata
from itertools import islice

from ..core.errors import ToolValidationError
from .encoding import visible
from .telling import quoted, shortened, told

NARROW_NO_BREAK_SPACE = "\u202f"
"""macOS writes it before AM and PM in the names of screenshots; whoever types such a name types a plain space."""

MAX_SUGGESTION_ENTRIES = 5_000
"""How many names of a folder are looked at to find a near one."""


def locate(path: str, cwd: str) -> str:
    """Which absolute path is meant by ``path``, as it stands on disk?

    ``~`` is expanded and a relative path starts at ``cwd``. ``..`` is resolved the way the kernel does it, through
    links, so that the path that is judged is the path that is opened. Where nothing has exactly that name, a name that
    differs only in its Unicode form (NFC, NFD, a narrow no-break space) is taken instead.

    Raises:
        ToolValidationError: the text cannot be a path.
    """
    require_path(path)
    return _existing_variant(_without_dots(os.path.join(cwd, os.path.expanduser(path))))


def require_path(path: str) -> None:
    """Do nothing for a text that can be a path.

    Raises:
        ToolValidationError: it is empty, or holds what no path can.
    """
    if not path:
        raise ToolValidationError("the path is empty; give the path of a file", check_id="path-empty")
    if "\0" in path:
        raise ToolValidationError(f"{quoted(path)} holds a NUL character, which no path can", check_id="path-nul")
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        message = f"{quoted(path)} holds half of a character (a lone surrogate), which no path can"
        raise ToolValidationError(message, check_id="path-encoding") from error


def _without_dots(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." not in parts:
        return "/" + "/".join(parts)
    after_last = len(parts) - parts[::-1].index("..")
    resolved = os.path.realpath("/" + "/".join(parts[:after_last]))
    return os.path.join(resolved, *parts[after_last:])


def _existing_variant(path: str) -> str:
    if os.path.lexists(path):
        return path
    found = "/"
    for name in path.split("/")[1:]:
        exact = os.path.join(found, name)
        taken = exact if os.path.lexists(exact) else _variant_in(found, name)
        if taken is None:
            return path
        found = taken
    return found


def _variant_in(folder: str, name: str) -> str | None:
    """The one entry of ``folder`` that reads like ``name``; ``None`` when there is none, or more than one."""
    if name.isascii() and " " not in name:
        return None
    wanted = _reading(name)
    try:
        same = [entry for entry in os.listdir(folder) if _reading(entry) == wanted]
    except OSError:
        return None
    return os.path.join(folder, same[0]) if len(same) == 1 else None


def _reading(name: str) -> str:
    return unicodedata.normalize("NFC", name.replace(NARROW_NO_BREAK_SPACE, " "))


def describe_missing(path: str) -> str:
    """What to say of a path at which there is nothing: the near names, or the folder that is missing."""
    folder, name = os.path.split(path)
    if os.path.isdir(folder):
        near = [told(path) for path in near_names(folder, name)]
        return f" Did you mean {' or '.join(near)}?" if near else f" The folder {told(folder)} has no similar name."
    while folder != "/" and not os.path.lexists(folder):
        folder, name = os.path.split(folder)
    if not os.path.isdir(folder):
        return f" {told(folder)} is not a folder."
    near = [told(path) for path in near_names(folder, name)]
    hint = f"; near it: {', '.join(near)}." if near else "."
    return f" The folder {shortened(os.path.join(folder, name))} does not exist{hint}"


def near_names(folder: str, name: str, count: int = 3) -> list[str]:
    """Up to ``count`` paths in ``folder`` whose names are like ``name``, the most similar first."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MAX_SUGGESTION_ENTRIES)]
    except OSError:
        return []
    by_folded: dict[str, str] = {candidate.casefold(): candidate for candidate in names}
    folded = difflib.get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.6)
    stem = os.path.splitext(name)[0].casefold()
    same_stem = [key for key in by_folded if stem and os.path.splitext(key)[0] == stem and key not in folded]
    return [os.path.join(folder, by_folded[key]) for key in (*folded, *same_stem)[:count]]


def shown_path(path: str, cwd: str) -> str:
    """``path`` relative to ``cwd`` where it lies in there, absolute elsewhere; always printable."""
    root = cwd.rstrip("/") + "/"
    return visible(path[len(root) :] if path.startswith(root) else path)
