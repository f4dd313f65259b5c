"""Which Chromium do the browser tests drive?"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

PATH_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""What distributions call it."""

LAUNCH_ARGS = (
    "--no-sandbox",  # its own sandbox does not start for root in a container; only loopback pages are opened
    "--disable-dev-shm-usage",  # containers give /dev/shm 64 MB
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def system_chromium() -> str | None:
    """Path of the machine's own Chromium or Chrome, or ``None``. ``CHROMIUM`` (a path or a name) wins.

    Raises:
        FileNotFoundError: ``CHROMIUM`` is set and names nothing that can be run.
    """
    wanted = os.environ.get("CHROMIUM")
    if wanted:
        found = shutil.which(wanted)
        if found is None:
            raise FileNotFoundError(f"CHROMIUM={wanted!r} is not a program; unset it or give the path of a browser")
        return found
    return next((path for name in PATH_NAMES if (path := shutil.which(name))), None)


def playwright_chromium() -> str | None:
    """Path of the browser that Playwright downloaded for itself, or ``None``."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return str(path) if path.exists() else None


def find_chromium() -> str | None:
    """Path of the browser to drive: the machine's own, else Playwright's, else ``None``."""
    return system_chromium() or playwright_chromium()
