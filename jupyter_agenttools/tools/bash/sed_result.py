"""The result of a ``sed -i`` that was written by us."""

from __future__ import annotations

import time
from functools import partial

import anyio.to_thread

from ...core.context import ToolUseContext
from ...core.result import ToolResult
from ...files.paths import shown_path
from .output import BashOutput
from .sed_edit import EditedFile, SedFailure, SedPlan, apply_sed_edit


async def run_sed_edit(plan: SedPlan, context: ToolUseContext) -> ToolResult[BashOutput]:
    """Carry the edit out; raises as :func:`.sed_edit.apply_sed_edit`, but for what sed says against the command."""
    began = time.monotonic()
    try:
        edits = await anyio.to_thread.run_sync(partial(apply_sed_edit, plan, context))
        said, code, notice = "", 0, _notice(edits, context)
    except SedFailure as failure:
        said, code, notice, edits = str(failure), 1, "Nothing was written.", ()
    elapsed_ms = round((time.monotonic() - began) * 1000)
    output = BashOutput(
        said, notice, exit_code=code, cwd=context.cwd, duration_ms=elapsed_ms, edits=edits,
        total_lines=said.count("\n") + bool(said), total_bytes=len(said.encode()),
    )  # fmt: skip
    return ToolResult(output, is_error=output.is_error)


def _notice(edits: tuple[EditedFile, ...], context: ToolUseContext) -> str:
    if not edits:
        return "Nothing matched: no file changes."
    names = ", ".join(shown_path(edit.path, context.cwd) for edit in edits)
    return f"Written as an edit (sed itself did not run): {names}"
