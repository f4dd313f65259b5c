"""Errors that end a cell with one line. They carry the names that a person knows, and count as errors for Run All."""

from __future__ import annotations

import builtins

from ..core import errors as core


class _OneLine(BaseException):
    """IPython asks an exception for its own lines before it makes a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class UsageError(_OneLine, core.UsageError):
    """A person's mistake, shown as its message alone."""


class UnsupportedKernelError(_OneLine, core.UnsupportedKernelError):
    """This kernel cannot run the extension."""


class KeyboardInterrupt(_OneLine, builtins.KeyboardInterrupt):
    """A run was interrupted, and nothing of it lives on."""
