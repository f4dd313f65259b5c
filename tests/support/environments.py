"""Python environments with one ipykernel version each, made once and shared by every test run."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENTS = REPOSITORY / ".venvs"
NEWEST = "newest"
ON_SUBSHELL = "7.3.0"
EVERY_KERNEL = "AGENTTOOLS_EVERY_KERNEL"
"""Set it to run the tests with ipykernel 7.3.0 as well."""
MATRIX = ("6.31.0", *((ON_SUBSHELL,) if os.environ.get(EVERY_KERNEL) else ()), "7.4.0", NEWEST)
"""6.31: the last of the old line. 7.3: widget messages on a subshell. 7.4: widget messages reach an awaiting cell.

7.3.0 passes all of its tests on its own. In long runs such a kernel was seen to stop answering, once before any code of
ours was in it, so that it is left out of the usual run until the cause is known.
"""
INSTALL_TIMEOUT_S = 900


def ipykernel_env(version: str) -> Path:
    """The ``python`` of an environment that has this repository (editable) and ``ipykernel==version``.

    Args:
        version: an exact version, or ``newest``.

    The first call makes it (about a minute), later ones find it; several processes may ask at once.

    Raises:
        RuntimeError: pip could not install it; the end of its output is in the message.
    """
    return _environment(f"ipykernel-{version}", "ipykernel" if version == NEWEST else f"ipykernel=={version}")


def collaboration_env() -> Path:
    """The ``python`` of an environment with this repository, JupyterLab and jupyter-collaboration, which would change
    every server of the environment that it is in. The front end's extension is linked into it, built or not yet.

    Raises:
        RuntimeError: as :func:`ipykernel_env`.
    """
    python = _environment("collaboration", "jupyterlab", "jupyter-collaboration")
    link = python.parents[1] / "share/jupyter/labextensions/jupyter-agenttools"
    if not link.is_symlink():
        shutil.rmtree(link, ignore_errors=True)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(REPOSITORY / "jupyter_agenttools/labextension")
    return python


def _environment(name: str, *requirements: str) -> Path:
    folder = ENVIRONMENTS / name
    stamp, wanted = folder / ".complete", _fingerprint(*requirements)
    with _locked(folder.with_name(folder.name + ".lock")):
        if not stamp.exists() or stamp.read_text() != wanted:
            if not stamp.exists():  # absent or half made; a complete one is only brought up to date
                shutil.rmtree(folder, ignore_errors=True)
                _run([sys.executable, "-m", "venv", str(folder)])
            # --no-compile: a kernel compiles the few modules that it imports; pip would compile a hundred packages.
            _run([str(folder / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check",
                  "--no-compile", "-e", str(REPOSITORY), *requirements])  # fmt: skip
            stamp.write_text(wanted)
    return folder / "bin" / "python"


def _fingerprint(*requirements: str) -> str:
    """Changes when what must be installed changes."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    parts = [*requirements, sys.version, *project["dependencies"]]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-3000:]}")


def main() -> None:
    """Make the environments of the whole matrix beforehand: inside a test this would count as the test's own time."""
    for version in MATRIX:
        print(f"ipykernel {version}: {ipykernel_env(version)}", flush=True)


if __name__ == "__main__":
    main()
