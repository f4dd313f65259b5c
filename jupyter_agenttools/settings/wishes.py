"""What do the settings files of a project ask a person to approve?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.context import RuleSource
from ..core.errors import SettingsError
from ..permissions.from_settings import ParsedSettings
from .files import parse_file, read_file
from .load import parse_layer
from .loaded import LoadedSettings
from .narrow import narrowed
from .origin import SettingsOrigin
from .trust import is_refused, is_trusted, refuse, trust


@dataclass(frozen=True)
class Wish:
    """One thing that a settings file asks for: its kind (``allow rule``, ``hook`` …) and its text, whole."""

    kind: str
    text: str


@dataclass(frozen=True)
class TrustRequest:
    """A settings file of a project that nobody has approved as it is, and that asks for something.

    Args:
        path: the file. source: what it is. wishes: all that it asks for.
        data: the bytes that ask for it; an approval is for exactly these.
        refused: a person has said no to them before.
    """

    path: Path
    source: RuleSource
    wishes: tuple[Wish, ...]
    data: bytes
    refused: bool = False

    def is_current(self) -> bool:
        """Whether the file still holds what is asked about."""
        try:
            return read_file(self.path) == self.data
        except SettingsError:
            return False

    def approve(self) -> None:
        """Let the file count from the next load on, as long as it is what was shown.

        Raises:
            SettingsError, OSError: this cannot be written down.
        """
        trust(self.path, self.data)

    def refuse(self) -> None:
        """Nobody is to be asked about this file again until it changes. Raises as :meth:`approve`."""
        refuse(self.path, self.data)


def trust_requests(settings: LoadedSettings) -> tuple[TrustRequest, ...]:
    """The project files among these settings that a person could approve, as they are on disk now. An approval does
    not let a change count that a hook refused, so nobody is asked about one."""
    held = {file.path for file, content in settings.contents.files.items() if content.held}
    found = (
        _request(layer.path, layer.source, settings.origin)
        for layer in settings.layers
        if not layer.trusted and layer.path not in held
    )
    return tuple(request for request in found if request is not None)


def _request(path: Path, source: RuleSource, origin: SettingsOrigin) -> TrustRequest | None:
    try:
        data = read_file(path)
        if data is None or is_trusted(path, data):
            return None
        parsed = parse_layer(parse_file(path, data), source, origin)
    except SettingsError:
        return None  # broken: it says so itself, and there is nothing to approve
    wishes = tuple(_wishes(parsed))
    return TrustRequest(path, source, wishes, data, is_refused(path, data)) if wishes else None


def _wishes(parsed: ParsedSettings) -> Iterator[Wish]:
    for rules in parsed.permission.always_allow_rules.values():
        yield from (Wish("allow rule", rule) for rule in rules)
    for folder in parsed.permission.additional_working_directories:
        yield Wish("folder to read", folder)
    if parsed.mode is not None and parsed.mode != narrowed(parsed).settings.mode:
        yield Wish("mode", parsed.mode)
    yield from (Wish("variable", f"{name}={value}") for name, value in parsed.env.items())
    for event, groups in parsed.hooks.items():
        yield from _hooks(event, groups)
    if parsed.hooks_disabled is not None:
        yield Wish("hooks", "turns hooks off" if parsed.hooks_disabled else "turns hooks on")
    yield from _sandbox(parsed)
    if parsed.plans_directory is not None:
        yield Wish("folder for plans", parsed.plans_directory)
    if parsed.cleanup_days is not None:
        yield Wish("sessions", f"kept for {parsed.cleanup_days} days")


def _hooks(event: str, groups: Any) -> Iterator[Wish]:
    """Each hook with what it runs; one of another form is shown as it is, since a person has to see it."""
    for group in groups if isinstance(groups, tuple) else (groups,):
        inner = group.get("hooks") if isinstance(group, Mapping) else None
        matcher = f" {group['matcher']}" if isinstance(group, Mapping) and group.get("matcher") else ""
        for hook in inner if isinstance(inner, tuple) else (group,):
            yield Wish("hook", f"{event}{matcher}: {_what_runs(hook)}")


def _what_runs(hook: Any) -> str:
    if not isinstance(hook, Mapping):
        return repr(hook)
    words = [hook[key] for key in ("command", "url", "prompt", "tool") if isinstance(hook.get(key), str)]
    arguments = hook.get("args")
    words += [str(word) for word in arguments] if isinstance(arguments, tuple) else []
    return f"{hook.get('type', 'command')} {' '.join(words)}"


def _sandbox(parsed: ParsedSettings) -> Iterator[Wish]:
    narrow = narrowed(parsed).settings.sandbox
    for name in parsed.sandbox.__dataclass_fields__:
        value = getattr(parsed.sandbox, name)
        if value != getattr(narrow, name):
            yield Wish(
                "sandbox", f"{name.replace('_', ' ')}: {', '.join(value) if isinstance(value, tuple) else value}"
            )
