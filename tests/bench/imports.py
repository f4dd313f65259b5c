"""What importing costs in a fresh process, beyond what pydantic alone costs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from .measure import Figure

REPEATS = 9
CODE = """
import time, anyio
from pydantic import BaseModel, Field, create_model  # the names load what the package itself only promises
class Loaded(BaseModel): field: int = Field(1)
begin = time.process_time()
import {module}
print(time.process_time() - begin)
"""


def _import_ms(module: str, compiled: str) -> float:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    code = CODE.format(module=module)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return float(out.stdout) * 1000


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as compiled:
        first = _import_ms("jupyter_agenttools.session", compiled)
        times = sorted(_import_ms("jupyter_agenttools.session", compiled) for _ in range(REPEATS))
    # Whatever else the machine does only adds to it, so the least is what importing takes.
    detail = {"median": round(times[REPEATS // 2], 1), "with compiling": round(first, 1)}
    yield Figure("import jupyter_agenttools.session beyond pydantic", times[0], None, "ms CPU", 250, detail)
