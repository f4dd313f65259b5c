"""Is there a sandbox for the tests that need one?"""

from __future__ import annotations

import pytest

from jupyter_agenttools.shell import sandbox_support

needs_sandbox = pytest.mark.skipif(
    sandbox_support().program is None, reason=f"needs a working bubblewrap: {sandbox_support().problem}"
)
"""``make test`` installs bubblewrap where it can. A machine that forbids user namespaces has no sandbox to test."""
