"""Errors that end a cell with one line. They carry the names that a person knows, and count as errors for Run All."""

from __future__ import annotations

import builtins

from ..core import errors as core
from .one_line import one_line


class _OneLine(BaseException):
    """IPython asks an exception for its own lines before it makes a traceback."""

    _render_traceback_ = one_line


class UsageError(_OneLine, core.UsageError):
    """A person's mistake, shown as its message alone."""


class UnsupportedKernelError(_OneLine, core.UnsupportedKernelError):
    """This kernel cannot run the extension."""


class KeyboardInterrupt(_OneLine, builtins.KeyboardInterrupt):
    """A run was interrupted, and nothing of it lives on."""
