"""Fixtures of the tests that need a real browser.

The browser lives as long as a test module: while it is open, tests that run an asyncio loop cannot run. Servers live
as long as this folder's tests and are shared by everybody who asks for the same kind.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.support.browser import LabPage, LabServer, open_browser

ServerOf = Callable[..., LabServer]
OpenLab = Callable[..., LabPage]
Shoot = Callable[[LabPage, str], None]
SHOTS_VARIABLE = "AGENTTOOLS_SCREENSHOTS"
"""The folder in which screenshots are kept; below pytest's own when it is not set."""


@pytest.fixture(scope="package")
def server_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerOf]:
    """The running server with these options (those of :class:`LabServer`), started when first asked for."""
    servers: dict[str, LabServer] = {}
    with ExitStack() as stack:

        def get(app: str = "lab", **options: Any) -> LabServer:
            key = repr((app, sorted(options.items())))
            if key not in servers:
                folder = tmp_path_factory.mktemp(app)
                servers[key] = stack.enter_context(LabServer(folder, app, **options))
            return servers[key]

        yield get


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def open_lab(browser: Browser, server_of: ServerOf) -> Iterator[OpenLab]:
    """Open a page on a server: ``open_lab("lab", comms_over_subshells="disabled")``. It is closed with the test, and
    nothing is left of the test's files: the next one finds the server as new."""
    with ExitStack() as stack:

        def open_page(app: str = "lab", *, dark: bool = False, **options: Any) -> LabPage:
            server = server_of(app, **options)
            stack.callback(empty, server.root)
            return stack.enter_context(LabPage(server, browser, dark=dark))

        yield open_page


def empty(folder: Path) -> None:
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()


@pytest.fixture
def shoot(tmp_path: Path) -> Shoot:
    """Keep a screenshot of a page, for a person to look at: ``shoot(lab, "panel-dark")``."""
    folder = Path(os.environ.get(SHOTS_VARIABLE) or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return lambda lab, name: lab.screenshot(folder / f"{name}.png")
