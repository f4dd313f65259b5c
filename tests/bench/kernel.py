"""What the extension costs in a live kernel: loading it, the first tool, a card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.kernels import KernelSession
from tests.support.widget_front_end import WidgetFrontEnd

from .measure import Figure, median

REPEATS = 5
HEAVY = ("ipywidgets", "nbformat", "mcp", "anthropic", "openai", "google.genai", "pydantic_ai")

LOAD = f"""
import json as _json, sys as _sys, time as _time
_before = set(_sys.modules)
_t, _c = _time.perf_counter(), _time.process_time()
get_ipython().run_line_magic("load_ext", "jupyter_agenttools")
_wall, _cpu = _time.perf_counter() - _t, _time.process_time() - _c
_new = set(_sys.modules) - _before
print(_json.dumps([_wall * 1000, _cpu * 1000, len(_new), sorted(_new.intersection({HEAVY!r}))]))
"""

FIRST_TOOL = """
import time as _time
_t = _time.perf_counter()
_x = %tool Glob pattern=*
_t = (_time.perf_counter() - _t) * 1000
print("\\n" + str(_t))
"""


def _load() -> tuple[float, list[str], int]:
    with KernelSession() as kernel:
        wall, _, count, heavy = json.loads(kernel.run(LOAD).text)
    return wall, heavy, count


def _first_tool() -> float:
    with KernelSession() as kernel:
        kernel.run("%load_ext jupyter_agenttools")
        return float(kernel.run(FIRST_TOOL).text.splitlines()[-1])


def _card() -> tuple[int, int]:
    """Bytes and number of the messages that one approval card costs."""
    sizes: list[int] = []
    counted = ("comm_open", "comm_msg", "display_data", "update_display_data")

    def count(message: Any) -> None:
        if message["msg_type"] in counted:
            sizes.append(sum(len(json.dumps(message[part], default=str)) for part in ("header", "metadata", "content")))

    with KernelSession() as kernel:
        front_end = WidgetFrontEnd(kernel)
        kernel.run("%load_ext jupyter_agenttools")
        kernel.run("%tool Glob pattern=*")
        kernel.listeners.append(count)
        kernel.start("%tool Bash touch made", allow_stdin=True)
        front_end.wait_button("Allow once")
        kernel.pump(200)
        total = sum(sizes), len(sizes)
        kernel.interrupt()
        return total


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    loads = [_load() for _ in range(REPEATS)]
    detail = {"modules": loads[0][2], "heavy modules": loads[0][1]}
    yield Figure("%load_ext in a kernel", median([wall for wall, _, _ in loads]), None, "ms", 100, detail)
    yield Figure("heavy modules loaded by it", len(loads[0][1]), None, "modules", 0)
    yield Figure("first %tool", median([_first_tool() for _ in range(REPEATS)]), None, "ms", 600)
    size, messages = _card()
    yield Figure("an approval card", size / 1000, None, "kB", 25, {"messages": messages})
