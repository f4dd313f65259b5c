"""``%agent undo``, ``%agent redo`` and ``%agent history``: taking back what turns did to files."""

from __future__ import annotations

from ..session import UndoReport, history_view, undo_view
from .agent_line import AgentUndo
from .output import show
from .plan import Plan
from .runtime import Runtime


def undo_plan(runtime: Runtime, asked: AgentUndo) -> Plan:
    """Carry it out, and leave a record of it in the cell."""
    from ..render import view_bundle

    session = runtime.session
    if asked.action == "history":
        run = runtime.new_run(session.file_turns)
        yield run
        turns = runtime.result_of(run)
        gaps = session.file_history.gaps if session.file_history else ()
        show(view_bundle(history_view(turns, gaps, session.cwd)))
        return None
    redo = asked.action == "redo"
    run = runtime.new_run(session.redo if redo else lambda: session.undo(asked.turns, force=asked.force))
    yield run
    report: UndoReport = runtime.result_of(run)
    show(view_bundle(undo_view(report, session.cwd, asked=0 if redo else asked.turns)))
    runtime.shown.add(report)
    return report
