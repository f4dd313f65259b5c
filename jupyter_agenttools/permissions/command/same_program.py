"""Other ways to call the same program: ``python3.11 -m pip install x`` is ``pip install x``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .wrappers import Argv, program_name

_NUMBERED = re.compile(r"(pip|python|ruby|perl|node|clang|gcc)-?\d[\d.]*")
_GNU = frozenset(
    "g" + name
    for name in "awk chmod chown cp dd env find grep head kill ln mv nice nohup rm rmdir sed shred sort stdbuf tail "
    "tar tee timeout touch truncate unlink xargs".split()
)
"""The GNU programs where the system has others of the plain names."""
_SAME = {"py": "python", "pypy": "python", "pypy3": "python", "nodejs": "node", "fdfind": "fd", "batcat": "bat"}
_OWN_VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z_0-9]*|0)\}?")
_BY_VARIABLE = {"0": "sh", "BASH": "bash", "SHELL": "sh"}
_AS_MODULES = frozenset(
    "black build coverage flake8 isort jupyter mypy nox pip pipenv pipx poetry pre_commit pylint pytest ruff tox twine "
    "uv virtualenv".split()
)
"""Modules of Python that are the program of that name."""
_WITH_MODULE = re.compile(r"-[bBdEhiIOPqsSuvx]*m(.*)")
_VALUED = frozenset({"-W", "-X", "--check-hash-based-pycs"})
_ALIASES: dict[str, dict[Argv, Argv]] = {
    "docker": {
        **{("container", name): (name,) for name in "create exec kill pause restart rm run start stop".split()},
        ("image", "build"): ("build",),
        ("image", "pull"): ("pull",),
        ("image", "push"): ("push",),
        ("image", "rm"): ("rmi",),
    },
    "npm": {
        **{(name,): ("install",) for name in ("i", "in", "ins", "add", "isntall")},
        **{(name,): ("uninstall",) for name in ("un", "rm", "r", "remove", "unlink")},
        **{(name,): ("test",) for name in ("t", "tst")},
        ("run-script",): ("run",),
        ("x",): ("exec",),
    },
}
"""Sub-commands with a second name."""


def plain_name(name: str) -> str:
    """The name that most systems know a program by."""
    name = name.removesuffix(".exe")
    if variable := _OWN_VARIABLE.fullmatch(name):  # `$PYTHON` and its like hold the program of that name
        return _BY_VARIABLE.get(variable[1], variable[1].lower())
    numbered = _NUMBERED.fullmatch(name)
    if numbered is not None:
        return numbered[1]
    return name[1:] if name in _GNU else _SAME.get(name, name)


def has_one_name(name: str) -> bool:
    """Whether a call of this program is known under no other name, whatever its words are."""
    if name in ("git", "python") or name in _ALIASES or "=" in name:
        return False
    return program_name(name) == name and plain_name(name) == name


def other_calls(argv: Argv) -> Iterator[Argv]:
    """The same call under every other name that is known for it."""
    name = program_name(argv[0])
    plain = plain_name(name)
    if plain != argv[0]:
        argv = (plain, *argv[1:])
        yield argv
    if plain == "python":
        yield from _module_call(argv)
    elif plain == "git":
        yield from _alias_call(argv)
    for path, words in _ALIASES.get(plain, {}).items():
        if argv[1 : len(path) + 1] == path:
            yield (plain, *words, *argv[len(path) + 1 :])


def _module_call(argv: Argv) -> Iterator[Argv]:
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        if module := _WITH_MODULE.fullmatch(argv[at]):
            words = (module[1], *argv[at + 1 :]) if module[1] else argv[at + 1 :]
            if words and words[0] in _AS_MODULES:
                yield (words[0].replace("_", "-"), *words[1:])
            return
        at += 2 if argv[at] in _VALUED else 1


def _alias_call(argv: Argv) -> Iterator[Argv]:
    """``git -c alias.p=push p`` is ``git push``."""
    for at, word in enumerate(argv):
        name, equals, value = word.removeprefix("alias.").partition("=")
        if word.startswith("alias.") and equals and name in argv[at + 1 :] and not value.startswith("!"):
            behind = argv.index(name, at + 1) + 1
            yield ("git", *value.split(), *argv[behind:])
