"""A JupyterLab or Notebook 7 server of its own: nothing of the user's settings is read, nothing is left running."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import psutil

from .kernelspecs import write_kernelspec

App = Literal["lab", "notebook"]
CommsOverSubshells = Literal["disabled", "perComm", "perCommTarget"]
START_TIMEOUT_S = 90.0
STOP_TIMEOUT_S = 10.0

QUIET: Mapping[str, Any] = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
}
"""No pop-ups about news, which would cover what a test wants to click."""

KERNELS_SETTINGS = "@jupyterlab/apputils-extension:kernels-settings"


def free_port() -> int:
    """A loopback port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class LabServer:
    """A server on a loopback port, as a context manager.

    Args:
        folder: everything lives below it: ``work/`` (the root that the page sees) and ``home/``.
        app: ``lab`` or ``notebook``.
        overrides: user settings by plugin id.
        comms_over_subshells: the kernel setting of that name; JupyterLab's default when ``None``.
        kernels: extra kernels, a ``python`` by name.
        env: variables on top of the tests' own environment; kernels inherit them.
        arguments: further command line arguments.
        python: of the environment whose server it is; the tests' own when ``None``.
    """

    def __init__(
        self,
        folder: Path,
        app: App = "lab",
        *,
        overrides: Mapping[str, Mapping[str, Any]] | None = None,
        comms_over_subshells: CommsOverSubshells | None = None,
        kernels: Mapping[str, str | Path] | None = None,
        env: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        python: Path | None = None,
    ) -> None:
        self.app, self.root, self.home = app, folder / "work", folder / "home"
        self.token = secrets.token_hex(16)
        self.log_path = folder / "server.log"
        self.base = ""
        self._arguments = tuple(arguments)
        self._python = str(python or sys.executable)
        settings = {**QUIET, **(overrides or {})}
        if comms_over_subshells:
            settings[KERNELS_SETTINGS] = {"commsOverSubshells": comms_over_subshells}
        self._prepare(settings, kernels or {})
        self._env = {**os.environ, **self._isolated(), **(env or {})}

    def __enter__(self) -> LabServer:
        self._log = self.log_path.open("w")
        module = "jupyterlab" if self.app == "lab" else "notebook"
        self.process = psutil.Popen(
            [self._python, "-m", module, *self._flags(), *self._arguments],
            env=self._env,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            self.base = self._wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server, its kernels, and whatever they started."""
        family = [self.process, *self.process.children(recursive=True)] if self.process.is_running() else []
        if family:
            self.process.send_signal(signal.SIGTERM)
        _, alive = psutil.wait_procs(family, timeout=STOP_TIMEOUT_S)
        for survivor in alive:
            survivor.kill()
        psutil.wait_procs(alive, timeout=STOP_TIMEOUT_S)
        self._log.close()

    def api(self, path: str, method: str = "GET", body: Any = None) -> Any:
        """Call the server's REST interface, e.g. ``api("/api/kernels")``."""
        request = urllib.request.Request(
            self.base + path,
            method=method,
            headers={"Content-Type": "application/json", "Authorization": f"token {self.token}"},
            data=None if body is None else json.dumps(body).encode(),
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            raw = response.read()
        return json.loads(raw) if raw else None

    @property
    def log(self) -> str:
        """What the server has said so far."""
        return self.log_path.read_text(errors="replace")

    def _prepare(self, settings: Mapping[str, Any], kernels: Mapping[str, str | Path]) -> None:
        for folder in (self.root, self.home / "runtime"):
            folder.mkdir(parents=True, exist_ok=True)
        for plugin, values in settings.items():
            package, name = plugin.split(":")
            path = self.home / "lab/user-settings" / package / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        for name, python in kernels.items():
            write_kernelspec(self.home / "data/kernels", name, python)

    def _isolated(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "IPYTHONDIR": str(self.home / "ipython"),
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(self.home / "lab/user-settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.home / "lab/workspaces"),
            "JUPYTER_TOKEN": self.token,
        }

    def _flags(self) -> list[str]:
        trait = "LabApp" if self.app == "lab" else "JupyterNotebookApp"
        return [
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            f"--port={free_port()}",
            f"--ServerApp.root_dir={self.root}",
            f"--{trait}.expose_app_in_browser=True",
        ]

    def _wait_ready(self) -> str:
        """The server's address, read from the file that it writes about itself, once it answers."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline and self.process.poll() is None:
            for path in (self.home / "runtime").glob("jpserver-*.json"):
                try:
                    self.base = json.loads(path.read_text())["url"].rstrip("/")
                    self.api("/api/status")
                    return self.base
                except (OSError, ValueError, KeyError):  # half written, or not yet listening
                    pass
            time.sleep(0.1)
        raise RuntimeError(f"the {self.app} server did not start:\n{self.log[-3000:]}")
