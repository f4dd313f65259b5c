"""What a person sees of an undo, and of what there is to undo."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from ..core.views import Badge, DiffBlockView, TableBlockView, TextBlockView, Tone, ToolView, ViewBlock
from ..files import shown_path
from ..files.history import FileTurnSummary, FileUndo, UndoReport
from ..files.languages import language_of
from ..files.patch import changed_lines, changed_stretch
from ..render.chars import count_of

TITLE_CHARS = 120
MAX_ROWS = 200
MAX_DIFFS = 10
MAX_DIFF_CHARS = 20_000
"""Of all differences together."""

NAMED = 4
RESULTS: dict[str, tuple[str, Tone]] = {
    "restored": ("restored", "ok"),
    "removed": ("removed", "ok"),
    "already": ("as it was already", "neutral"),
    "kept": ("kept", "warning"),
    "failed": ("not done", "error"),
}


def undo_view(report: UndoReport, cwd: str, *, asked: int = 0) -> ToolView:
    """What an undo or a redo did, file by file.

    Args:
        asked: how many turns a person wanted undone; it is said when there were not so many.
    """
    counts = {result: sum(file.result == result for file in report.files) for result in RESULTS}
    badges = tuple(
        Badge(f"{count} {RESULTS[result][0]}", RESULTS[result][1]) for result, count in counts.items() if count
    )
    what = "Undo" if report.action == "undo" else "Redo"
    labels = [turn.label[:TITLE_CHARS] or f"turn {turn.number}" for turn in report.turns]
    title = f"{what}: {labels[0] if len(labels) == 1 else f'{len(labels)} turns'}"
    rows = tuple(_row(file, cwd) for file in report.files[:MAX_ROWS])
    blocks: list[ViewBlock] = [TextBlockView("\n".join(labels[:MAX_ROWS]))] if len(labels) > 1 else []
    if asked > len(labels):
        count = "was only 1 turn" if len(labels) == 1 else f"were only {len(labels):,} turns"
        blocks.append(TextBlockView(f"There {count} to undo, not {asked:,}.", tone="info"))
    if rows:
        blocks.append(TableBlockView(("file", "what", "lines"), rows))
    if len(report.files) > MAX_ROWS:
        blocks.append(TextBlockView(f"… and {len(report.files) - MAX_ROWS:,} more files"))
    return ToolView(title, badges, (*blocks, *_advice(report, cwd), *_differences(report.changed, cwd)))


def _row(file: FileUndo, cwd: str) -> tuple[str, ...]:
    word = RESULTS[file.result][0] + (" (changed while a command ran)" if file.while_command else "")
    return shown_path(file.path, cwd), f"{word}: {file.detail}" if file.detail else word, _lines(file)


def _lines(file: FileUndo) -> str:
    if file.old is None or file.new is None:
        return "not text" if file.changed else ""
    added, removed = changed_lines(file.old, file.new)
    return f"+{added:,} −{removed:,}"


def _advice(report: UndoReport, cwd: str) -> Iterator[ViewBlock]:
    if report.note:
        yield TextBlockView(f"Since then: {report.note}.")
    if report.stopped:
        yield TextBlockView("It was stopped before its end; run it again to go on.", tone="warning")
    if report.action == "undo" and any(file.result == "kept" for file in report.files):
        yield TextBlockView(
            "Files that were changed after the turn are kept as they are, and so are notebooks that changed while a "
            "command ran. %agent undo --force puts them back as well; what they hold now stays in the history, and "
            "%agent redo brings it back.",
            tone="warning",
        )
    if report.action == "undo" and any(file.while_command for file in report.changed):
        yield TextBlockView(
            "What changed while a command ran may have been saved by you or another program, not by the command. "
            "If some of it was yours, %agent redo brings everything back."
        )
    if lost := sum(turn.not_covered for turn in report.turns):
        files = count_of(lost, "file")
        yield TextBlockView(f"Of {files} that the turn changed no earlier copy exists.", tone="warning")
    if report.changed:
        back = "redo" if report.action == "undo" else "undo"
        yield TextBlockView(f"%agent {back} takes this back. The model is told when it is asked next.")


def _differences(files: Sequence[FileUndo], cwd: str) -> Iterator[ViewBlock]:
    texts = [file for file in files if file.old is not None and file.new is not None and file.old != file.new]
    room, shown = MAX_DIFF_CHARS, 0
    for file in texts:
        old, new, first = changed_stretch(file.old or "", file.new or "")
        if shown == MAX_DIFFS or len(old) + len(new) > room:
            continue
        room, shown = room - len(old) - len(new), shown + 1
        yield DiffBlockView(old, new, shown_path(file.path, cwd), language_of(file.path), (first, first))
    if shown < len(texts):
        yield TextBlockView(f"The differences of {count_of(len(texts) - shown, 'file')} are not shown here.")


def history_view(turns: Sequence[FileTurnSummary], gaps: Sequence[str], cwd: str) -> ToolView:
    """Which turns can be undone: the newest is ``%agent undo``, the one before ``%agent undo 2``."""
    rows, number = [], 0
    for turn in turns[:MAX_ROWS]:
        is_open = turn.state in ("done", "partly")
        number += is_open
        rows.append((f"undo {number}" if is_open else turn.state, *_cells(turn, cwd)))
    badge = Badge(f"{number} to undo" if number else "nothing to undo")
    blocks: list[ViewBlock] = []
    if rows:
        blocks.append(TableBlockView(("", "when", "turn", "files"), tuple(rows)))
    if gaps:
        blocks.append(TextBlockView(f"Of what commands change, undo does not cover {'; '.join(gaps)}.", tone="warning"))
    return ToolView("File history", (badge,), tuple(blocks))


def _cells(turn: FileTurnSummary, cwd: str) -> tuple[str, str, str]:
    names = ", ".join(shown_path(path, cwd) for path in turn.paths[:NAMED])
    more = f" and {len(turn.paths) - NAMED:,} more" if len(turn.paths) > NAMED else ""
    lost = f" ({turn.not_covered:,} without a copy)" if turn.not_covered else ""
    label = f"{turn.label} (partly undone)" if turn.state == "partly" else turn.label
    if meanwhile := len(turn.while_command):
        lost += f" ({'' if meanwhile == len(turn.paths) else f'{meanwhile:,} of them '}changed while a command ran)"
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(turn.time)), label, names + more + lost
