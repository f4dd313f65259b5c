"""The import rule, held by reading the source: who may import whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "jupyter_agenttools"
FRONT_END = PACKAGE.parent / "labextension" / "src"

ALLOWED = {
    "core": set(),
    "render": {"core"},
    "media": {"core"},
    "results": {"core", "media"},
    "hooks": {"core"},
    "permissions": {"core"},
    "files": {"core"},
    "shell": {"core"},
    "models": {"core"},
    "settings": {"core", "files", "hooks", "permissions"},
    "interpreter": {"core"},
    "tools": {"core", "files", "interpreter", "media", "shell", "permissions", "results"},
    "registry": {"core", "permissions", "tools"},
    "pipeline": {"core", "hooks", "permissions", "results"},
    "executor": {"core", "pipeline"},
    "agents": {"core", "executor", "media", "models", "results"},
    "session": {
        "core", "agents", "executor", "files", "hooks", "interpreter", "models", "permissions", "pipeline", "registry",
        "render", "results", "settings", "shell",
    },
    "notebook": {
        "core", "files", "hooks", "interpreter", "models", "permissions", "registry", "render", "session", "settings",
        "shell",
    },
}  # fmt: skip
NEEDS_ASYNCIO = {"interpreter/plain.py", "core/faults.py"}
"""One keeps an event loop alive whatever a person's code does to it. The other tells a cancellation where no loop runs,
of which anyio says nothing."""
NOTEBOOK_ONLY = {"IPython", "ipywidgets", "comm", "ipykernel", "traitlets"}


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if "labextension" not in p.parts)


def imports(path: Path) -> list[tuple[str, int]]:
    """Every imported module as an absolute dotted name, with its line."""
    package = ("jupyter_agenttools", *path.relative_to(PACKAGE).parts[:-1])
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join((*base, *filter(None, [node.module])))
            found += [(f"{stem}.{alias.name}", node.lineno) for alias in node.names]
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    parts = path.relative_to(PACKAGE).parts
    if len(parts) == 1:
        return  # the package's own front door
    here = parts[0]
    for name, line in imports(path):
        top, _, rest = name.partition(".")
        if top == "jupyter_agenttools":
            target = rest.partition(".")[0]
            assert target == here or target in ALLOWED[here], f"{path}:{line} {here} must not import {target}"
        elif here != "notebook":
            assert top not in NOTEBOOK_ONLY, f"{path}:{line} only notebook/ imports {top}"
            assert top != "asyncio" or "/".join(parts) in NEEDS_ASYNCIO, f"{path}:{line} anyio outside of notebook/"


def test_every_package_is_in_the_rule() -> None:
    packages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")} - {"labextension"}
    assert packages == set(ALLOWED)


def test_modules_and_functions_stay_small() -> None:
    too_long = []
    for path in modules():
        tree = ast.parse(source := path.read_text())
        if source.count("\n") > 400:
            too_long.append(f"{path.relative_to(PACKAGE)}: {source.count(chr(10))} lines")
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
                if (length := node.end_lineno - node.lineno + 1) > 60:
                    too_long.append(f"{path.relative_to(PACKAGE)}: {node.name} has {length} lines")
    assert not too_long


TS_BODY = re.compile(
    r"^(?P<indent>(?:  )?)(?:(?:export|async|function|private|protected|get|set) )*(?P<name>\w+)(?:<[^;{}]*?>)?"
    r"\([^;]*?\{$.*?^(?P=indent)\}$",
    re.MULTILINE | re.DOTALL,
)
"""A function or a method, as prettier lays it out."""


def test_modules_and_functions_of_the_front_end_stay_small() -> None:
    too_long = []
    for path in sorted(p for p in FRONT_END.rglob("*.ts*") if "__tests__" not in p.parts):
        source = path.read_text()
        bodies = [(match["name"], match[0].count("\n") + 1, 60) for match in TS_BODY.finditer(source)]
        found = [("module", source.count("\n"), 400), *bodies]
        too_long += [f"{path.relative_to(FRONT_END)}: {name}, {lines}" for name, lines, most in found if lines > most]
    assert not too_long
