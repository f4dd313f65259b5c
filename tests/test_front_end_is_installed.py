"""What JupyterLab itself says of the extension for its pages."""

from __future__ import annotations

import re
import subprocess
import sys


def test_jupyterlab_takes_it_for_compatible() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "jupyter", "labextension", "list"], capture_output=True, text=True, check=True
    )
    said = re.sub(r"\x1b\[\d+m", "", listed.stdout + listed.stderr)
    assert re.search(r"^\s*jupyter-agenttools v\S+ enabled OK", said, re.MULTILINE), said
