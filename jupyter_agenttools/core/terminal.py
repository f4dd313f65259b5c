"""Reading a line that a person types."""

from __future__ import annotations

import sys


async def read_line(text: str) -> str:
    """Show ``text`` and return the line that is typed next; a worker thread waits for it.

    Raises:
        EOFError: the input is at its end.
    """
    import anyio.to_thread

    if sys.stdin is not None and sys.stdin.isatty():
        # A thread in the middle of reading cannot be stopped, and the process would not end before the next line.
        print(text, end="", flush=True)
        await anyio.wait_readable(sys.stdin)
        text = ""
    return await anyio.to_thread.run_sync(input, text, abandon_on_cancel=True)
