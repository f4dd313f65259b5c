"""Which notebook a kernel belongs to, and which ones it does not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import psutil
import pytest

from jupyter_agenttools.notebook import own_notebook as module
from jupyter_agenttools.notebook.own_notebook import notebook_among, own_notebook

NAMES = ("JUPYTER_AGENTTOOLS_NOTEBOOK", "JPY_SESSION_NAME", "JPY_PARENT_PID")


class Parent:
    """The process that started the kernel."""

    def __init__(self, arguments: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
        self._given = arguments, str(folder), environment or {}

    def cmdline(self) -> list[str]:
        return self._given[0]

    def cwd(self) -> str:
        return self._given[1]

    def environ(self) -> dict[str, str]:
        return self._given[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name in ("a.ipynb", "b.ipynb"):
        (tmp_path / name).write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def set_parent(monkeypatch: pytest.MonkeyPatch, parent: Any) -> None:
    monkeypatch.setattr(module, "_parent", lambda: parent)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("python jupyter-nbconvert --to notebook --execute a.ipynb", "a.ipynb"),
        ("python jupyter-nbconvert --execute a.ipynb --output b.ipynb", "a.ipynb"),
        ("python jupyter-nbconvert --execute a.ipynb --output=b.ipynb", "a.ipynb"),
        ("python -m nbconvert --execute a.ipynb", "a.ipynb"),
        ("python /bin/jupyter-execute a.ipynb", "a.ipynb"),
        ("python /bin/papermill a.ipynb b.ipynb -p x 1", "a.ipynb"),
        ("python -m papermill a.ipynb b.ipynb", "a.ipynb"),
        ("python jupyter-nbconvert --execute a.ipynb b.ipynb", ""),
        ("python /bin/jupyter-lab a.ipynb", ""),
        ("python -m pytest tests/a.ipynb", ""),
        ("python /bin/papermill --help-notebook", ""),
        ("", ""),
    ],
)
def test_a_program_that_runs_one_notebook_says_which(line: str, expected: str) -> None:
    assert notebook_among(line.split(), "/work") == (os.path.join("/work", expected) if expected else "")


def test_the_server_says_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_parent(monkeypatch, None)
    for named in (str(folder / "a.ipynb"), "below/the/root/a.ipynb"):
        monkeypatch.setenv("JPY_SESSION_NAME", named)
        assert own_notebook({}) == str(folder / "a.ipynb")
    monkeypatch.setenv("JPY_SESSION_NAME", str(folder / "renamed.ipynb"))
    assert own_notebook({}) == ""


def test_the_name_of_an_outer_notebook_is_not_ours(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook that starts papermill hands its own name on to the kernels that this starts."""
    outer = str(folder / "a.ipynb")
    monkeypatch.setenv("JPY_SESSION_NAME", outer)
    running = ["python", "-m", "papermill", "b.ipynb", "out.ipynb"]
    set_parent(monkeypatch, Parent(running, folder, {"JPY_SESSION_NAME": outer}))
    assert own_notebook({}) == str(folder / "b.ipynb")
    set_parent(monkeypatch, Parent(["python", "-m", "jupyterlab"], folder, {}))
    assert own_notebook({}) == outer


def test_names_that_front_ends_and_programs_leave(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_parent(monkeypatch, None)
    assert own_notebook({"__vsc_ipynb_file__": str(folder / "b.ipynb")}) == str(folder / "b.ipynb")
    assert own_notebook({"PAPERMILL_INPUT_PATH": str(folder / "a.ipynb")}) == str(folder / "a.ipynb")
    for nothing in (3, "b.ipynb", "s3://bucket/b.ipynb", ""):
        assert own_notebook({"__vsc_ipynb_file__": nothing, "PAPERMILL_INPUT_PATH": nothing}) == ""
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_NOTEBOOK", "b.ipynb")
    assert own_notebook({"__vsc_ipynb_file__": str(folder / "a.ipynb")}) == str(folder / "b.ipynb")


def test_a_link_to_a_notebook_is_that_notebook(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_parent(monkeypatch, None)
    (folder / "link.ipynb").symlink_to(folder / "a.ipynb")
    assert own_notebook({"__vsc_ipynb_file__": str(folder / "link.ipynb")}) == str(folder / "a.ipynb")


def test_a_parent_that_is_not_sure_is_not_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for id in ("", "x", str(os.getpid())):
        monkeypatch.setenv("JPY_PARENT_PID", id)
        assert module._parent() is None
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getppid()))
    assert module._parent() == psutil.Process(os.getppid())


def test_a_parent_that_has_gone_or_hides_itself_says_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hidden(Parent):
        def cmdline(self) -> list[str]:
            raise psutil.AccessDenied

        def environ(self) -> dict[str, str]:
            raise psutil.NoSuchProcess(1)

    set_parent(monkeypatch, Hidden([], folder))
    monkeypatch.setenv("JPY_SESSION_NAME", str(folder / "a.ipynb"))
    assert own_notebook({}) == str(folder / "a.ipynb")
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert own_notebook({}) == ""
