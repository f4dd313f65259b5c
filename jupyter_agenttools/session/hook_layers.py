"""From the settings of a session to its hooks: which run, which do not and why."""

from __future__ import annotations

from typing import NamedTuple

from ..hooks import Hook, HookSettingsError, hooks_from_settings, not_approved, unreadable_hooks
from ..settings import HookLayer, LoadedSettings
from ..settings.files import line_of
from .hook_remarks import remarks_on


class KnownHook(NamedTuple):
    """A hook of the session, for a list of them; ``off`` says why it does not run, ``""`` when it does."""

    hook: Hook
    off: str = ""


class LoadedHooks(NamedTuple):
    """The hooks that settings describe.

    Attributes:
        used: what stands in the session's set: those that run, and what stands for guards that cannot.
        known: every one that could be read.
        notes: what a person should know.
    """

    used: tuple[Hook, ...]
    known: tuple[KnownHook, ...]
    notes: tuple[str, ...]


def hooks_of(settings: LoadedSettings) -> LoadedHooks:
    """The hooks of all layers, the weakest source first.

    Raises:
        SettingsError: the settings that a program handed over have hooks that cannot be read. A file never raises: it
            is noted, and every call asks, for one of its hooks may be a guard.
    """
    used: list[Hook] = []
    known: list[KnownHook] = []
    notes: list[str] = []
    for layer in settings.hook_layers:
        where = _where(layer)
        try:
            found = hooks_from_settings(layer.hooks, source=where)
        except HookSettingsError as problem:
            if layer.path is None:
                raise
            said = f"{where}, line {_line(layer, settings, problem)}: {problem}"
            if layer.trusted and layer.off:
                notes.append(f"{said}. They are off: {layer.off}.")
            else:
                notes.append(f"{said}. None of its hooks runs, and every call asks until it is mended.")
                used.append(unreadable_hooks(said, where))
            continue
        known += [KnownHook(hook, layer.off) for hook in found.hooks]
        remarks = (remark for hook in found.hooks for remark in remarks_on(hook))
        notes += [f"{where}: {note}" for note in (*found.notes, *remarks)]
        if layer.runs:
            used += found.hooks
        elif not layer.trusted and found.hooks:
            used += [stand_in for hook in found.hooks if (stand_in := not_approved(hook, where)) is not None]
            notes.append(_not_approved_note(where, found.hooks))
        elif found.hooks:
            notes.append(f"{where}: {_its(len(found.hooks), 'hook')} not run: {layer.off}")
    return LoadedHooks(tuple(used), tuple(known), tuple(notes))


def _where(layer: HookLayer) -> str:
    return str(layer.path) if layer.path is not None else f"{layer.source} settings"


def _not_approved_note(where: str, hooks: tuple[Hook, ...]) -> str:
    guards = sum(hook.is_guard for hook in hooks)
    ask = f"; the calls that {_its(guards, 'guard', 'is', 'are')} about ask" if guards else ""
    return f"{where}: {_its(len(hooks), 'hook')} not run, because nobody has approved this file as it is now{ask}"


def _its(number: int, noun: str, one: str = "does", several: str = "do") -> str:
    """``its hook does``, ``its 3 hooks do``"""
    return f"its {noun} {one}" if number == 1 else f"its {number} {noun}s {several}"


def _line(layer: HookLayer, settings: LoadedSettings, problem: HookSettingsError) -> int:
    """The line of the file that is wrong, by what the file held when it was read."""
    held = {file.path: content.data for file, content in settings.contents.files.items()}
    return line_of(held.get(layer.path) or b"", problem.location)
