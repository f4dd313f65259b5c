"""Make sure that there is a browser for the tests: ``python -m tests.support.setup_browser``.

Order: what the machine has, Debian's or Ubuntu's package (root only), Playwright's own download. Whatever is found is
started once, because a browser that is installed and cannot start is the usual trouble in containers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

from tests.support.chromium import LAUNCH_ARGS, playwright_chromium, system_chromium

APT_TIMEOUT_S = 900
DOWNLOAD_TIMEOUT_S = 900


def say(text: str) -> None:
    print(f"[browser] {text}", flush=True)


def starts(path: str) -> bool:
    """Whether the browser at ``path`` starts and can run a page's script."""
    from playwright.sync_api import Error, sync_playwright

    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=list(LAUNCH_ARGS))
            answer = browser.new_page().evaluate("() => 6 * 7")
            say(f"{path} (version {browser.version}) starts")
            browser.close()
    except Error as error:
        say(f"{path} does not start: {str(error).strip().splitlines()[0]}")
        return False
    return bool(answer == 42)


def run(command: Sequence[str], timeout_s: int) -> bool:
    """Run one installer with its output shown; ``False`` when it failed or is not there."""
    say("$ " + " ".join(command))
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        return subprocess.run(command, env=environment, timeout=timeout_s, stdin=subprocess.DEVNULL).returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        say(str(error))
        return False


def from_machine() -> str | None:
    return system_chromium()


def from_apt() -> str | None:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        say("the distribution's package needs apt-get and root; skipped")
        return None
    run(["apt-get", "update", "-q"], APT_TIMEOUT_S)
    run(["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"], APT_TIMEOUT_S)
    return system_chromium()


def from_playwright() -> str | None:
    found = playwright_chromium()
    if found:
        return found
    with_deps = ["--with-deps"] if os.geteuid() == 0 and shutil.which("apt-get") else []
    run([sys.executable, "-m", "playwright", "install", *with_deps, "chromium"], DOWNLOAD_TIMEOUT_S)
    return playwright_chromium()


SOURCES: tuple[tuple[str, Callable[[], str | None]], ...] = (
    ("on this machine", from_machine),
    ("from the distribution", from_apt),
    ("from Playwright", from_playwright),
)


def main() -> int:
    for where, source in SOURCES:
        path = source()
        if path is None:
            say(f"none {where}")
        elif starts(path):
            say(f"using {path} ({where})")
            return 0
    say("NO BROWSER. Install chromium or google-chrome, or set CHROMIUM=/path/to/one, and run this again.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
