"""What reading and writing text costs, beside the least that any program has to do for it.

Measured are the functions of the tool, without the pipeline around them, which has figures of its own. The best of
many runs counts, floor and value in turns: a neighbour on the machine slows single runs, never speeds them up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from jupyter_agenttools.core import Cancellation, ContextState, ToolOptions, ToolPermissionContext, ToolUseContext
from jupyter_agenttools.files import FileStateCache, open_content, safe_write
from jupyter_agenttools.files import content as content_module
from jupyter_agenttools.tools.read.result import result_text
from jupyter_agenttools.tools.read.text import read_text

from .measure import Figure

LINES = 200_000
FIRST_SHOWN = 199_900
SHOWN = 50
REPEATS = 25
EVERYTHING = {"JUPYTER_AGENTTOOLS_FILE_READ_MAX_OUTPUT_TOKENS": "100000000"}


def _context(folder: Path) -> ToolUseContext:
    return ToolUseContext(
        "toolu_bench",
        ContextState(ToolPermissionContext(), str(folder)),
        ToolOptions(env=EVERYTHING),
        folder,
        Cancellation(),
        read_file_state=FileStateCache(),
    )


def _best(
    value: Callable[[], object],
    floor: Callable[[], object],
    repeats: int = REPEATS,
    between: Callable[[], object] = lambda: None,
) -> tuple[float, float]:
    """Milliseconds of the best run of each, in turns. ``between`` them what was left to be done later is waited for."""
    best = [float("inf"), float("inf")]
    for _ in range(repeats):
        for place, work in enumerate((value, floor)):
            started = time.perf_counter()
            work()
            best[place] = min(best[place], (time.perf_counter() - started) * 1_000)
            between()
    return best[0], best[1]


def _text_file(folder: Path, lines: int) -> Path:
    path = folder / f"{lines}.txt"
    path.write_text("".join(f"{number:>8} {'word ' * 17}end\n" for number in range(1, lines + 1)))
    return path


def _windows(folder: Path) -> Iterator[Figure]:
    path = _text_file(folder, LINES)
    time.sleep(content_module.SETTLED_NS / 1e9 + 0.1)  # what changed just now is not remembered

    def floor() -> list[bytes]:
        with path.open("rb") as file:
            return list(islice(file, FIRST_SHOWN - 1, FIRST_SHOWN - 1 + SHOWN))

    contexts = iter([_context(folder) for _ in range(2 * REPEATS + 1)])

    def repeated() -> str:
        return result_text(read_text(str(path), FIRST_SHOWN, SHOWN, next(contexts)))

    def cold() -> str:
        content_module._indexes._kept.clear()
        return repeated()

    def hashed() -> None:
        with open_content(str(path), Cancellation()) as content:
            content.index.hash.digest()

    assert cold().count("\n") > SHOWN
    detail = {
        "floor is": "islice over lines of bytes",
        "bytes": path.stat().st_size,
        "without": "the content hash, which another thread takes afterwards",
    }
    value, least = _best(cold, floor, between=hashed)
    yield Figure("window at the end of 20 MB, first time", value, least, "ms", 1.1, detail)
    value, least = _best(repeated, floor)
    yield Figure("the same window once more", value, least, "ms", 0.02, detail)


def _numbers(folder: Path) -> Iterator[Figure]:
    path = _text_file(folder, 10_400)

    def floor() -> str:
        text = path.read_bytes().decode()
        return "\n".join([f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), 1)])

    def numbered() -> str:
        return result_text(read_text(str(path), 1, 10**9, _context(folder)))

    assert floor().startswith(numbered()[: 10**6])
    value, least = _best(numbered, floor, repeats=60)
    detail = {
        "bytes": path.stat().st_size,
        "with": "content hash, line index, a limit far away, so nothing is estimated",
    }
    yield Figure("1 MB with line numbers", value, least, "ms", 1.3, detail)


def _replacing(folder: Path) -> Iterator[Figure]:
    path, copy, old = folder / "old", folder / "copy", os.urandom(1 << 20) * 50
    contents = [old, old.replace(old[:100], bytes(100), 1)]
    path.write_bytes(old)

    def replace() -> None:
        safe_write(str(path), contents[1], cancellation=Cancellation(), expected_hash=None, expected=contents[0])
        contents.reverse()

    def floor() -> None:
        copy.write_bytes(path.read_bytes())

    with mock.patch("os.fsync"):
        value, least = _best(replace, floor, repeats=9)
    lasting, _ = _best(replace, floor, repeats=5)
    detail = {"floor is": "reading and writing the bytes", "ms until it lasts on the disk": round(lasting, 1)}
    yield Figure("replacing 50 MB safely, not waiting for the disk", value, least, "ms", 2.0, detail)


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name, mock.patch.dict(os.environ, {"JUPYTER_AGENTTOOLS_HOME": f"{name}/home"}):
        yield from _windows(Path(name))
        yield from _numbers(Path(name))
        yield from _replacing(Path(name))
