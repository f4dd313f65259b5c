"""Which of the files that changed while a command ran may Jupyter itself have saved?

A command's changes are found by looking at the folders before and after it, and that cannot tell who made them: a
person's editor, another program, and JupyterLab, which saves open notebooks by itself, write at the same time. For
notebooks that is the rule rather than the exception, and a person's unsaved thoughts are in them.
"""

from __future__ import annotations

import os

from .held import Held
from .turns import Source

SUFFIX = ".ipynb"
OWN_VARIABLE = "JPY_SESSION_NAME"
"""The kernel's own notebook, as the Jupyter server tells it: a path below the server's root, or an absolute one."""


def source_of(path: str, after: Held) -> Source:
    """Who made a change that was found after a command; ``after`` is what the path holds since.

    A notebook that is gone was not saved by anybody, so it is like other files: bringing it back takes nothing away.
    """
    is_notebook = path.endswith(SUFFIX) or _is_own(path)
    return "notebook" if is_notebook and after.kind in ("file", "link") else "command"


def _is_own(path: str) -> bool:
    """Whether this kernel belongs to it: notebooks may have any suffix, e.g. with jupytext."""
    own = os.environ.get(OWN_VARIABLE, "")
    if os.path.isabs(own):
        return path in (own, os.path.realpath(own))
    return bool(own) and path.endswith("/" + os.path.normpath(own))
