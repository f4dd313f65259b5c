"""Which texts of a settings file could never be handed to the operating system?"""

from __future__ import annotations

import os
from collections.abc import Iterator

from .schema import Settings, SettingsFault

Location = tuple[str | int, ...]


def check_texts(settings: Settings) -> None:
    """Refuse paths and variables that no system call takes: they would fail much later, and far from here.

    Raises:
        SettingsFault: names the key, and what is wrong with its text.
    """
    for location, text in _texts(settings):
        if problem := _problem(text):
            raise SettingsFault(f"`{_spelled(location)}`: {problem}", location)
    for name in settings.env:
        if not name or "=" in name:
            raise SettingsFault(f"`env`: {name!r} is no name of a variable", ("env", name))


def _texts(settings: Settings) -> Iterator[tuple[Location, str]]:
    if settings.plansDirectory is not None:
        yield ("plansDirectory",), settings.plansDirectory
    for at, text in enumerate(settings.permissions.additionalDirectories):
        yield ("permissions", "additionalDirectories", at), text
    for name, value in settings.env.items():
        yield ("env", name), name
        yield ("env", name), value
    files = settings.sandbox.filesystem
    for key in type(files).model_fields:
        value = getattr(files, key)
        for at, text in enumerate(value if isinstance(value, list) else ()):
            yield ("sandbox", "filesystem", key, at), str(text)


def _problem(text: str) -> str:
    if "\0" in text:
        return "no path and no variable holds a NUL character"
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return "this holds half a character, which no path and no variable can"
    return ""


def _spelled(location: Location) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
