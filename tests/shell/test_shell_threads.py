"""Threads for jobs are used again, and are there for everybody at once."""

from __future__ import annotations

import threading
import weakref
from queue import SimpleQueue

from jupyter_agenttools.shell.threads import MAX_IDLE, Threads
from tests.support.shell import until_now

PATIENCE_S = 10.0


def test_one_job_after_the_other_has_the_same_thread() -> None:
    threads, seen = Threads(), SimpleQueue[int]()
    idents = set()
    for _ in range(5):
        threads.run(lambda: seen.put(threading.get_ident()))
        idents.add(seen.get(timeout=PATIENCE_S))
        until_now(lambda: threads.idle == 1)
    assert len(idents) == 1


def test_jobs_at_the_same_time_have_their_own_and_few_stay() -> None:
    threads, together, over = Threads(), threading.Barrier(MAX_IDLE + 3), SimpleQueue[int]()

    def work() -> None:
        together.wait(PATIENCE_S)  # nobody goes on before all are there
        over.put(threading.get_ident())

    for _ in range(MAX_IDLE + 3):
        threads.run(work)
    assert len({over.get(timeout=PATIENCE_S) for _ in range(MAX_IDLE + 3)}) == MAX_IDLE + 3
    until_now(lambda: threads.idle == MAX_IDLE)


def test_a_thread_that_waits_keeps_nothing_of_its_job() -> None:
    class Thing:
        def work(self) -> None:
            pass

    threads, thing = Threads(), Thing()
    gone = weakref.ref(thing)
    threads.run(thing.work)
    del thing
    until_now(lambda: threads.idle == 1 and gone() is None)
