"""Is a file a memory that agents and people share, and would a text put a secret into it?

What stands in such a file is read into every conversation and is usually under version control, so a key in it is
given away at once. Only what cannot well be anything else counts: a false alarm stops honest work.
"""

from __future__ import annotations

import os

from ..core.errors import ToolValidationError
from ..core.secret_shapes import find_secrets

_SHARED_NAMES = frozenset({"claude.md", "agents.md", "gemini.md", "copilot-instructions.md", ".cursorrules"})
_SHARED_FOLDERS = frozenset({".claude", ".agents"})
_FOLDER_SUFFIXES = (".md", ".mdc", ".txt", ".json", ".yaml", ".yml")
_PERSONAL_NAMES = frozenset({"claude.local.md", "settings.local.json"})
"""Kept out of version control by those who made these names."""


def is_shared_memory(path: str) -> bool:
    """Whether the file at the absolute ``path``, or what it links to, is a memory that is shared.

    Told from its name, or from a folder that is for such files.
    """
    return _names_memory(path) or _names_memory(os.path.realpath(path))


def _names_memory(path: str) -> bool:
    *folders, name = path.casefold().split("/")
    if name in _PERSONAL_NAMES:
        return False
    return name in _SHARED_NAMES or (bool(_SHARED_FOLDERS.intersection(folders)) and name.endswith(_FOLDER_SUFFIXES))


def require_no_secret(path: str, text: str, known: str = "") -> None:
    """Do nothing when ``text`` may go into the file at the absolute ``path``: it is no shared memory, or the text holds
    no secret besides those of ``known``.

    Args:
        text: what would be added, or what the file would hold. known: what it holds now.

    Raises:
        ToolValidationError: names the kind of secret and its line, never the secret. Its ``check_id`` is that of the
            detector.
    """
    if not is_shared_memory(path):
        return
    old = {secret.value for secret in find_secrets(known)}
    secret = next((secret for secret in find_secrets(text) if secret.value not in old), None)
    if secret is not None:
        raise ToolValidationError(
            f"line {secret.line} of the text holds what looks like {secret.words}, and {path} is a memory that is "
            "shared with others. Nothing was written. Leave the secret out: say where it is kept (the name of an "
            "environment variable, a secret store), and tell the person that it may have to be replaced",
            check_id=secret.id,
        )
