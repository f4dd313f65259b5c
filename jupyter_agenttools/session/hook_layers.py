"""From the settings of a session to its hooks: which run, which do not and why."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import SettingsError
from ..hooks import Hook, hooks_from_settings, not_approved, unreadable_hooks
from ..settings import HookLayer, LoadedSettings


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
            found = hooks_from_settings(layer.hooks, source=where, where=str(layer.path or ""))
        except SettingsError as problem:
            if layer.path is None:
                raise
            if layer.trusted and layer.off:
                notes.append(f"{problem}. They are off: {layer.off}.")
            else:
                notes.append(f"{problem}. None of its hooks runs, and every call asks until it is mended.")
                used.append(unreadable_hooks(str(problem), where))
            continue
        known += [KnownHook(hook, layer.off) for hook in found.hooks]
        notes += [f"{where}: {note}" for note in found.notes]
        if layer.runs:
            used += found.hooks
        elif not layer.trusted and found.hooks:
            used += [stand_in for hook in found.hooks if (stand_in := not_approved(hook, where)) is not None]
            notes.append(_not_approved_note(where, found.hooks))
        elif found.hooks:
            notes.append(f"{where}: its {len(found.hooks)} hooks do not run: {layer.off}")
    return LoadedHooks(tuple(used), tuple(known), tuple(notes))


def _where(layer: HookLayer) -> str:
    return str(layer.path) if layer.path is not None else f"{layer.source} settings"


def _not_approved_note(where: str, hooks: tuple[Hook, ...]) -> str:
    guards = sum(hook.is_guard for hook in hooks)
    ask = f"; the calls that its {guards} guards are about ask" if guards else ""
    return f"{where}: its {len(hooks)} hooks do not run, because nobody has approved this file as it is now{ask}"
