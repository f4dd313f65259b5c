"""One session's long life, and what is left over of it."""

from __future__ import annotations

import gc
import os
import random
import re
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import anyio.to_thread

from jupyter_agenttools import PermissionAnswer, Session, UsageError
from jupyter_agenttools.agents.conversation import HistoryFault, check_history
from jupyter_agenttools.core.blocks import Message, to_json
from jupyter_agenttools.core.updates import Compacted, TurnEnded
from jupyter_agenttools.session.resume import resume_session
from jupyter_agenttools.session.transcript_reading import load_transcript
from tests.soak.chaos import SETTINGS, ChaoticModel, chaotic_tools

TURN_S = 20.0
"""No turn may take longer, whatever happens in it."""

STOP_S = 0.3
"""After so long a person loses patience: with a model that hangs, with commands that sleep."""

CHECKPOINTS = 20

RESTARTS_EVERY = 70
"""So often the kernel is restarted, and the session goes on from its transcript."""

WISHES_EVERY = 40
"""So often a person asks for a shorter conversation: after three failures it is not shortened otherwise."""


class Held(NamedTuple):
    """What a process holds at one moment, between two turns.

    Attributes:
        tasks, threads, files, children: of this process. objects: instances of classes of the project. rss_kb: memory.
    """

    tasks: int
    threads: int
    files: int
    children: int
    objects: int
    rss_kb: int


@dataclass
class Report:
    """What a life was like.

    Attributes:
        ends: how often a turn ended for which reason; ``left`` where nobody waited for its end.
        did: how often the model did what. shortened: how often the conversation was.
        held: what the process held, from checkpoint to checkpoint. before, after: without any session.
        unsound: what was wrong with what the model was sent.
        messages, replaced: how many there were at the end, and for how many results another text stood.
        faults: what was wrong with the conversation between turns.
        said, heard: the turns in which a person said something, and of which of these the model was told.
        differs: where the transcript tells of another conversation, ``""`` where it does not.
    """

    ends: Counter[str] = field(default_factory=Counter)
    did: Counter[str] = field(default_factory=Counter)
    shortened: int = 0
    held: list[Held] = field(default_factory=list)
    before: Held | None = None
    after: Held | None = None
    faults: list[tuple[int, HistoryFault]] = field(default_factory=list)
    unsound: list[Any] = field(default_factory=list)
    messages: int = 0
    replaced: int = 0
    said: set[int] = field(default_factory=set)
    heard: set[int] = field(default_factory=set)
    differs: str = ""


class Listening:
    """Notes which of the things that a person said in between come into the conversation."""

    def __init__(self, heard: set[int]) -> None:
        self._heard = heard

    def on_message(self, message: Message) -> None:
        self._heard.update(int(number) for number in re.findall(r"say-(\d+)", message.text))


async def live(turns: int, seed: int, folder: Path, say: Callable[[str], object] = lambda line: None) -> Report:
    """Lead a session through so many turns, in a fresh ``folder``."""
    report, chance = Report(before=held()), random.Random(seed)
    await _one_session(turns, chance, folder, report, say)
    report.after = held()
    return report


async def _one_session(
    turns: int, chance: random.Random, folder: Path, report: Report, say: Callable[[str], object]
) -> None:
    work = folder / "work"
    work.mkdir()
    model = ChaoticModel(chance, str(work))
    arguments = {
        "cwd": work,
        "settings": SETTINGS,
        "model": model,
        "tools": chaotic_tools(),
        "prompter": lambda request: PermissionAnswer("allow" if chance.random() < 0.5 else "deny", "by chance"),
    }
    session = Session(session_dir=folder / "session", **arguments)
    session.observers.attach(Listening(report.heard))
    try:
        for turn in range(turns):
            with anyio.fail_after(TURN_S):
                report.ends[await _one_turn(session, chance, turn, report)] += 1
                if turn % WISHES_EVERY == WISHES_EVERY - 1:
                    report.shortened += await _wish(session)
            report.faults += [(turn, fault) for fault in faults_of(session)]
            if turn % max(turns // CHECKPOINTS, 1) == 0:
                report.held.append(held())
                say(f"turn {turn}: {len(session.messages)} messages, {report.held[-1]}")
            if turn % RESTARTS_EVERY == RESTARTS_EVERY - 1:
                report.said.discard(turn)  # what waits for the next query dies with the kernel
                session = await _restarted(session, report, arguments)
    finally:
        await session.aclose()
    report.did, report.unsound, report.messages = model.did, model.unsound, len(session.messages)
    report.replaced = len(session.conversation.replacements.replaced)
    report.said.discard(turns - 1)
    report.differs = report.differs or difference(session.messages, load_transcript(folder / "session").recorded)


async def _restarted(session: Session, report: Report, arguments: dict[str, Any]) -> Session:
    """The session as it goes on after the kernel was restarted."""
    await session.aclose()
    again = resume_session(session.dir, **arguments)
    again.observers.attach(Listening(report.heard))
    report.differs = report.differs or difference(session.messages, again.messages)
    if again.conversation.replacements != session.conversation.replacements:
        report.differs = report.differs or "other results are replaced after a restart"
    return again


async def _one_turn(session: Session, chance: random.Random, turn: int, report: Report) -> str:
    """One query, disturbed in one way or in none; the reason of its end."""
    disturb = chance.choice(("nothing", "nothing", "interrupt", "thread", "leave", "steer", "cancel", "escalate"))
    at, ended, timer = chance.randint(0, 12), "left", None
    scope = anyio.CancelScope()
    stop = threading.Timer(STOP_S, session.interrupt, ("it takes too long",))
    stop.start()
    try:
        with scope:
            async with aclosing(session.query(f"turn {turn}", max_turns=8)) as updates:
                number = 0
                async for update in updates:
                    report.shortened += isinstance(update, Compacted)
                    if isinstance(update, TurnEnded):
                        ended = update.reason
                    elif number == at:
                        if disturb == "leave":
                            break
                        timer = _disturb(session, disturb, scope, turn, report)
                    number += 1
    finally:
        stop.cancel()
        for thread in filter(None, (stop, timer)):  # elsewhere: whoever interrupts may wait for this very loop
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(thread.join)
    return ended


async def _wish(session: Session) -> bool:
    """Ask for a shorter conversation, until it is or there is nothing to shorten."""
    for _ in range(10):
        try:
            return await session.compact("keep the numbers") is not None
        except UsageError:
            continue
    return False


def _disturb(
    session: Session, how: str, scope: anyio.CancelScope, turn: int, report: Report
) -> threading.Thread | None:
    if how == "interrupt":
        session.interrupt("enough")
    elif how == "escalate":
        session.interrupt("enough")
        session.interrupt("now")
    elif how == "cancel":
        scope.cancel()
    elif how == "steer" and session.steer(f"say-{turn}"):
        report.said.add(turn)
    elif how == "thread":
        thread = threading.Thread(target=session.interrupt, args=("from elsewhere",))
        thread.start()
        return thread
    return None


def faults_of(session: Session) -> list[HistoryFault]:
    """What is wrong with the conversation. Neighbours of one role go out as one message and are none."""
    return [fault for fault in check_history(session.messages) if fault.kind != "roles_repeat"]


def difference(told: Any, read: Any) -> str:
    """Where two conversations first differ, ``""`` where they do not."""
    for at, (one, other) in enumerate(zip(told, read, strict=False)):
        if to_json(one) != to_json(other):
            return f"message {at + 1} of {len(told)}: {one!r:.300} was read as {other!r:.300}"
    return "" if len(told) == len(read) else f"{len(told)} messages were read as {len(read)}"


def held() -> Held:
    gc.collect()
    return Held(
        len(anyio.get_running_tasks()),
        threading.active_count(),
        len(os.listdir("/proc/self/fd")),
        _children(),
        sum(str(type(thing).__module__).startswith("jupyter_agenttools") for thing in gc.get_objects()),
        _rss_kb(),
    )


def _children() -> int:
    tasks = Path("/proc/self/task")
    return sum(len((task / "children").read_text().split()) for task in tasks.iterdir() if (task / "children").exists())


def _rss_kb() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])
