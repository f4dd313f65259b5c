"""What is used of a settings file that nobody has approved: only what takes rights away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..core.context import PermissionMode
from ..core.immutable import freeze
from ..permissions.from_settings import ParsedSettings
from ..permissions.mode_order import is_narrower
from ..permissions.sandbox_settings import narrowed_sandbox


class Narrowed(NamedTuple):
    """Settings without what widens rights, and what was taken out of them, for a person to read."""

    settings: ParsedSettings
    dropped: tuple[str, ...]


def narrowed(parsed: ParsedSettings, before: Sequence[ParsedSettings] = ()) -> Narrowed:
    """``parsed`` without anything that widens rights.

    Args:
        before: the weaker settings, the weakest first: a mode or a sandbox is wide or narrow in comparison with theirs.
    """
    mode, mode_before = parsed.mode, last_mode(before)
    if mode is not None and not is_narrower(mode, mode_before):
        mode = None
    sandbox, is_less = narrowed_sandbox(parsed.sandbox, [layer.sandbox for layer in before])
    dropped = [*_dropped(parsed)]
    if mode != parsed.mode:
        dropped.append(f"the mode {parsed.mode}")
    if is_less:
        dropped.append("what widens the sandbox")
    permission = replace(parsed.permission, always_allow_rules={}, additional_working_directories={})
    narrow = replace(
        parsed,
        permission=permission,
        mode=mode,
        env=freeze({}),
        sandbox=sandbox,
        hooks_disabled=None,
        plans_directory=None,
        cleanup_days=None,
    )
    return Narrowed(narrow, tuple(dropped))


def _dropped(parsed: ParsedSettings) -> Iterator[str]:
    permission = parsed.permission
    if count := sum(map(len, permission.always_allow_rules.values())):
        yield f"{count} allow rule{'s' if count > 1 else ''}"
    if count := len(permission.additional_working_directories):
        yield f"{count} additional director{'ies' if count > 1 else 'y'}"
    if count := len(parsed.env):
        yield f"{count} variable{'s' if count > 1 else ''} of `env`"
    if any(parsed.hooks.values()):
        yield f"hooks ({', '.join(event for event, groups in parsed.hooks.items() if groups)})"
    if parsed.hooks_disabled is not None:
        yield "`disableAllHooks`"
    if parsed.plans_directory is not None:
        yield "`plansDirectory`"
    if parsed.cleanup_days is not None:
        yield "`cleanupPeriodDays`"


def last_mode(layers: Sequence[ParsedSettings]) -> PermissionMode:
    """The mode of the strongest of these settings that names one."""
    return next((layer.mode for layer in reversed(layers) if layer.mode is not None), "default")


def widens(parsed: ParsedSettings) -> bool:
    """Whether this settings object may ask for more rights than weaker settings, whatever those say.

    A mode, or another sandbox than the strictest, is wide beside settings that name a narrower one.
    """
    return bool(narrowed(parsed).dropped) or parsed.mode is not None or parsed.sandbox.mode not in (None, "required")
