"""Every package says what it offers, sorted, and offers it."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "jupyter_agenttools"
PACKAGES = sorted(
    ".".join(("jupyter_agenttools", *p.parent.relative_to(ROOT).parts))
    for p in ROOT.rglob("__init__.py")
    if "labextension" not in p.parts
)


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_sorted_and_real(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} says nothing about itself"
    exported = list(getattr(module, "__all__", []))
    assert len(set(exported)) == len(exported)
    assert exported == sorted(exported, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    for attribute in exported:
        assert getattr(module, attribute, None) is not None, f"{name}.{attribute}"


def test_the_front_door_is_documented() -> None:
    readme = (ROOT.parent / "README.md").read_text()
    package = importlib.import_module("jupyter_agenttools")
    missing = [n for n in package.__all__ if n not in readme and not n.endswith("ipython_extension")]
    assert not missing
