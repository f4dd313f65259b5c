"""Which notebook file does this kernel belong to?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

SUFFIX = ".ipynb"
NAMED_BY_PERSON = "JUPYTER_AGENTTOOLS_NOTEBOOK"
"""Names the file for programs that run notebooks and do not say which."""
NAMED_BY_SERVER = "JPY_SESSION_NAME"
PARENT_ID = "JPY_PARENT_PID"

RUNNERS = frozenset({"papermill", "nbconvert", "jupyter-nbconvert", "jupyter-execute", "jupyter-run"})
"""Programs that are given notebooks to run on their command line. Papermill's first one is its input."""
OUTPUT_OPTIONS = frozenset({"--output", "--NbConvertBase.output_base"})

MOST_BYTES = 50_000_000
"""A notebook bigger than this is not looked into: reading it takes seconds."""
RECORDS = b"jupyter-agenttools.trace+json"
"""What stands in a file that holds records of ours."""


@dataclass(frozen=True)
class NotebookFile:
    """A notebook as its file was at some moment.

    Args:
        path: its real path, ``""`` where nobody says.
        data: its bytes; none where it holds no records, or cannot be read.
    """

    path: str = ""
    data: bytes = b""


def read_notebook(path: str) -> NotebookFile:
    """The notebook of that path as it is now."""
    try:
        if path and os.path.getsize(path) <= MOST_BYTES:
            with open(path, "rb") as file:
                return NotebookFile(path, file.read())
    except OSError:
        pass
    return NotebookFile(path)


def notebook_at_start(namespace: Mapping[str, Any]) -> NotebookFile:
    """The kernel's notebook before its cells are run. A front end that runs all of them takes their outputs away at
    once, and may save the file long before the last of them has run."""
    notebook = read_notebook(own_notebook(namespace))
    return notebook if RECORDS in notebook.data else NotebookFile(notebook.path)


def own_notebook(namespace: Mapping[str, Any]) -> str:
    """The real path of the file, ``""`` where nobody says or where it is not there any more.

    Args:
        namespace: the user's names; some front ends and programs leave the path there.
    """
    for path in _candidates(namespace):
        if path and os.path.isfile(path):
            return os.path.realpath(path)
    return ""


def _candidates(namespace: Mapping[str, Any]) -> Iterator[str]:
    """Absolute paths, the surest first."""
    yield os.path.abspath(os.environ[NAMED_BY_PERSON]) if os.environ.get(NAMED_BY_PERSON) else ""
    for name in ("__vsc_ipynb_file__", "PAPERMILL_INPUT_PATH"):
        given = namespace.get(name)
        yield given if isinstance(given, str) and os.path.isabs(given) else ""
    parent = _parent()
    named = os.environ.get(NAMED_BY_SERVER, "")
    if named and not _is_inherited(parent, named):
        yield named if os.path.isabs(named) else os.path.abspath(os.path.basename(named))
        yield _renamed()  # asked only when there is nothing under the first name any more
    yield _on_command_line(parent)


def _renamed() -> str:
    from ipykernel.connect import get_connection_file

    from .server_sessions import renamed_notebook

    with suppress(RuntimeError):  # this is no kernel
        return renamed_notebook(get_connection_file())
    return ""


def _parent() -> Any:
    """The process that started this kernel, ``None`` where that is not known for sure."""
    import psutil

    with suppress(ValueError, psutil.Error):
        if int(os.environ.get(PARENT_ID, "")) == os.getppid():
            return psutil.Process(os.getppid())
    return None


def _is_inherited(parent: Any, named: str) -> bool:
    """Whether the name is that of an outer notebook, in which a program was started that runs this one."""
    import psutil

    if parent is None:
        return False
    with suppress(psutil.Error):
        return parent.environ().get(NAMED_BY_SERVER) == named
    return False


def _on_command_line(parent: Any) -> str:
    """The one notebook that the parent was told to run; ``""`` when it was told to run several, or none."""
    import psutil

    if parent is None:
        return ""
    with suppress(psutil.Error):
        return notebook_among(parent.cmdline(), parent.cwd())
    return ""


def notebook_among(arguments: list[str], folder: str) -> str:
    """The notebook that a command line asks to run, ``""`` when it is none or not clear which.

    Args:
        arguments: the command line. folder: what relative paths in it are below.
    """
    runner = next((name for name in map(os.path.basename, arguments[:4]) if name in RUNNERS), "")
    if not runner:
        return ""
    outputs = {at + 1 for at, word in enumerate(arguments) if word in OUTPUT_OPTIONS}
    named = [w for at, w in enumerate(arguments) if w.endswith(SUFFIX) and not w.startswith("-") and at not in outputs]
    if runner == "papermill":
        named = named[:1]
    return os.path.join(folder, named[0]) if len(named) == 1 else ""
