"""What no mode and no broad rule may change without a person: the files that decide what runs next."""

from __future__ import annotations

import os
import re

from ..core.home import agenttools_home
from .command.spellings import forms_of
from .command.wrappers import program_name
from .paths import PathForms
from .roots import is_inside

PROTECTED_FOLDERS = frozenset(
    ".git .hg .svn .claude .agenttools .vscode .idea .husky .ssh .gnupg .ipython .jupyter .direnv".split()
)
PROTECTED_FILES = frozenset(
    ".bash_aliases .bash_login .bash_logout .bash_profile .bashrc .envrc .gitattributes .gitconfig .gitmodules "
    ".inputrc .login .mcp.json .netrc .npmrc .pdbrc .profile .pypirc .ripgreprc .tcshrc .zlogin .zlogout .zprofile "
    ".zshenv .zshrc sitecustomize.py usercustomize.py".split()
)
_REMOVERS = frozenset({"rm", "rmdir", "unlink", "shred", "srm", "trash", "chmod", "chown", "chgrp"})
_TOP_LEVEL = frozenset(
    "/ // /bin /boot /dev /etc /home /lib /lib32 /lib64 /mnt /opt /proc /root /run /sbin /srv /sys /usr /var "
    "/Applications /Library /System /Users".split()
)
_HOME_SPELT = re.compile(r"(?:~|\$HOME|\$\{HOME\})(?:/\*?)?")
_PATH_WORD = re.compile(r"[^\s'\"`;|&<>(),=:]+")


def protected_part(path: PathForms, base: str) -> str | None:
    """The part of the path that makes it protected, e.g. ``.git``, or ``None``.

    Args:
        base: the folder of the session, which a person chose: what it lies in protects nothing below it.
    """
    bases = (base, os.path.realpath(base))
    for form in path:
        if form in ("/", os.path.expanduser("~")):
            return form
        below = next((form[len(root) :] for root in bases if is_inside(form, (root,))), form)
        for part in below.lower().split("/"):  # some file systems do not tell cases apart
            if part in PROTECTED_FOLDERS or part in PROTECTED_FILES:
                return part
        home = agenttools_home()
        if is_inside(form, (home, os.path.realpath(home))):
            return home
    return None


def names_literally(specifier: str, part: str) -> bool:
    """Whether an allow rule's path spells the protected part out, rather than reach it with a wildcard."""
    spelt = specifier.replace("\\", "").lower()
    return part == "/" or part in spelt.split("/") or (part.startswith("/") and part.lower() in spelt)


def critical_command(command: str, cwd: str) -> str | None:
    """Which critical place a command may destroy or change, ``None`` for none that can be seen.

    Looks for removals of the root, the home folder, a top-level folder or one that holds the working directory, in
    every call that can be found in the text.
    """
    forms = forms_of(command)
    for argv, _ in forms.calls:
        if program_name(argv[0]) in _REMOVERS or (program_name(argv[0]) == "find" and "-delete" in argv):
            for word in argv[1:]:
                if place := _critical_place(word, cwd):
                    return place
    if forms.coarse is not None:
        words = _PATH_WORD.findall(forms.coarse)
        if any(program_name(word) in _REMOVERS for word in words):
            return next(filter(None, (_critical_place(word, cwd) for word in words if _looks_like_path(word))), None)
    return None


def _looks_like_path(word: str) -> bool:
    return word.startswith(("/", "~", "$HOME", "..")) and program_name(word) not in _REMOVERS


def _critical_place(word: str, cwd: str) -> str | None:
    if word.startswith("-") or not word:
        return None
    if _HOME_SPELT.fullmatch(word):
        return "the home folder"
    path = os.path.normpath(os.path.join(cwd, os.path.expanduser(word.removesuffix("*") or ".")))
    if word.endswith("*") and not word.endswith("/*"):
        return None
    if path == os.path.expanduser("~") or path in _TOP_LEVEL:
        return path
    if cwd.startswith(path.rstrip("/") + "/"):
        return f"{path}, which holds the working directory"
    return None


def protected_words(command: str) -> str | None:
    """The first word of a command that names a protected file or folder, ``None`` for none."""
    for word in _PATH_WORD.findall(command.replace("\\", "")):
        for part in word.lower().split("/"):
            if part in PROTECTED_FOLDERS or part in PROTECTED_FILES:
                return part
    return None
