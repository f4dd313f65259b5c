"""Make sure that the sandbox can be tested: ``python -m tests.support.setup_sandbox``.

Installs bubblewrap where the distribution's packages can be had (root only). A machine without user namespaces has no
sandbox: that is said here, and the tests that need one are skipped with the reason.
"""

from __future__ import annotations

import os
import shutil
import sys

from jupyter_agenttools.shell.environment import system_path
from jupyter_agenttools.shell.sandbox_probe import probe
from tests.support.setup_browser import APT_TIMEOUT_S, run


def main() -> int:
    if shutil.which("bwrap") is None and shutil.which("apt-get") and os.geteuid() == 0:
        run(["apt-get", "update", "-q"], APT_TIMEOUT_S)
        run(["apt-get", "install", "-y", "-q", "--no-install-recommends", "bubblewrap"], APT_TIMEOUT_S)
    found = probe(system_path())
    print(f"[sandbox] {found.program or f'NO SANDBOX, its tests are skipped: {found.problem}'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
