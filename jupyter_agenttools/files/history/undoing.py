"""Taking turns back, path by path, and saying what became of each.

Everything is looked at and kept first, with one wait for the disk; then the paths are put back. Files are put back
several at a time, as each waits for the disk most of the while; folders one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

from ...core.cancel import Cancellation
from ...core.errors import InterruptedToolError, ToolError
from ..locks import file_lock
from ..temporary import sync_folder
from ..unfinished import recover_writes, recovered_already
from .blobs import Blobs
from .held import MISSING, Held, held_by, identity_of, status_of
from .planning import SHOWN_FILES, SHOWN_TEXT_BYTES, Job, Planner, Writer, text_of
from .report import FileResult, FileUndo
from .restore import FOLDER_NOT_EMPTY, present_of, restore
from .turns import Step

WORKERS = 8
"""A file system puts the waits of several writers together."""

FILES_AWAY, FOLDERS_AWAY, FOLDERS_BACK, CONTENTS = range(4)


def take_back(
    paths: dict[str, list[Step]], writer: Writer, blobs: Blobs, cancellation: Cancellation, *, force: bool
) -> tuple[FileUndo, ...]:
    """Take the steps of each path back (newest first); says what became of each path, in the order it was done."""
    ordered = sorted(paths.items(), key=lambda item: _order(*item))
    jobs = [Job(path, steps, number < SHOWN_FILES) for number, (path, steps) in enumerate(ordered)]
    planner = Planner(writer, cancellation, force=force)
    recover_writes()
    with recovered_already():
        planner.plan(jobs)
    work = _Work(planner, writer, blobs, cancellation)
    with ThreadPoolExecutor(WORKERS, "agenttools-undo") as pool:
        for stage, together in groupby(jobs, key=lambda job: _order(job.path, job.steps)[0]):
            if stage in (FILES_AWAY, CONTENTS):
                list(pool.map(work.carry_out, together))
            else:
                for job in together:
                    work.carry_out(job)
            work.end_stage()
    return tuple(job.result for job in jobs if job.result is not None and _is_told(job.result, job.steps))


def _order(path: str, steps: Sequence[Step]) -> tuple[int, int, str]:
    """Files away first, then folders away (the inner ones first), then folders back, and last what files hold."""
    depth, oldest = path.count("/"), steps[-1].before.kind
    if oldest == "folder":
        return FOLDERS_BACK, depth, path
    if steps[0].after is not None and steps[0].after.kind == "folder":
        return FOLDERS_AWAY, -depth, path
    return (FILES_AWAY if oldest == "missing" else CONTENTS), depth, path


def _is_told(result: FileUndo, steps: Sequence[Step]) -> bool:
    kinds = {held.kind for step in steps for held in (step.before, step.after) if held is not None}
    return result.result in ("kept", "failed") or "folder" not in kinds


class _Work:
    """Carries out what is planned. Thread-safe but for :meth:`end_stage`."""

    def __init__(self, planner: Planner, writer: Writer, blobs: Blobs, cancellation: Cancellation) -> None:
        self._planner, self._writer, self._blobs, self._cancellation = planner, writer, blobs, cancellation
        self._ended: list[tuple[Step, Held]] = []
        self._dropped: list[Step] = []
        self._folders: set[str] = set()

    def carry_out(self, job: Job) -> None:
        """Do it; the job has its result afterwards."""
        if job.result is not None:
            return
        try:
            self._cancellation.check()
            with recovered_already(), file_lock(job.path):
                job.result = self._done(job)
        except InterruptedToolError as stop:
            job.result = FileUndo(job.path, "failed", f"not looked at: {stop}")
            self._dropped += [job.step] if job.step is not None else []
        except ToolError as refusal:
            result: FileResult = "kept" if refusal.check_id == FOLDER_NOT_EMPTY else "failed"
            job.result = FileUndo(job.path, result, refusal.message)
        except OSError as error:
            job.result = FileUndo(job.path, "failed", error.strerror or str(error))

    def end_stage(self) -> None:
        """Make what was done last through a power cut, then note that it is done."""
        for folder in sorted(self._folders):
            sync_folder(folder)
        self._writer.finish(self._ended)
        self._writer.drop(self._dropped)
        for noted in (self._folders, self._ended, self._dropped):
            noted.clear()

    def _done(self, job: Job) -> FileUndo:
        now = self._now(job)
        if now is None:
            if job.step is not None:
                self._writer.drop([job.step])
                job.step = None
            self._planner.plan([job])
            if job.result is not None:
                return job.result
            now = job.present
        if now is None or job.step is None or job.way is None or job.present is None:  # its folder leads over a link
            raise ToolError("the way to it leads over a link now", check_id="undo-folder-moved")
        present, way, said = job.present, job.way, ""
        if not way.target.same(now):
            said = restore(job.path, now, way.target, self._blobs, self._cancellation, self._folders)
        after = self._after(job.path, way.target)
        self._ended.append((job.step, after))
        if way.target.same(present):
            return FileUndo(job.path, "kept" if way.blocked else "already", way.blocked)
        result: FileResult = "removed" if way.target.kind == "missing" else "restored"
        detail, text = "; ".join(filter(None, (way.blocked, said))), self._text(after) if job.shows_text else None
        by_command = any(step.source != "tool" for step in way.reverts)
        return FileUndo(job.path, result, detail, after.digest, job.old, text, by_command)

    def _now(self, job: Job) -> Held | None:
        """What the path holds, ``None`` when it is not as planned: neither what it held, nor already what it is to hold
        as another name of the same file was put back."""
        if job.step is None or job.present is None or job.way is None:
            return None
        status = status_of(job.path)
        if status is not None and job.identity == identity_of(status):
            return job.present
        now, _ = present_of(job.path)
        return now if now.same(job.present) or now.same_content(job.way.target) else None

    def _after(self, path: str, target: Held) -> Held:
        """What a path holds that was put back. What a file holds was read back when it was written."""
        status = status_of(path)
        return MISSING if status is None else held_by(path, status, target.digest)

    def _text(self, held: Held) -> str | None:
        is_short = held.kind == "file" and held.size <= SHOWN_TEXT_BYTES
        if held.kind == "file" and not (is_short and held.digest in self._blobs):
            return None
        return text_of(held, self._blobs.read(held.digest) if is_short else b"")
