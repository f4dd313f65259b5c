"""Messages that a person types while a query runs: in order, each told once or handed back, never lost."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.agents.steering import SteeringQueue


def opened() -> SteeringQueue:
    queue = SteeringQueue()
    queue.open()
    return queue


def test_messages_are_taken_in_order_and_once() -> None:
    queue = opened()
    assert queue.put("one") and queue.put("two")
    assert queue.take() == ("one", "two") and queue.take() == ()


def test_nothing_is_taken_while_no_query_runs() -> None:
    queue = SteeringQueue()
    assert not queue.put("too early") and not queue.is_open
    queue.open()
    assert queue.close_if_empty() and not queue.put("too late") and queue.take() == ()


def test_nothing_said_is_nothing_to_tell() -> None:
    queue = opened()
    assert not queue.put("") and not queue.put(" \n") and queue.close_if_empty()


def test_a_query_goes_on_while_something_waits() -> None:
    queue = opened()
    queue.put("wait")
    assert not queue.close_if_empty() and queue.is_open and queue.put("also")
    assert queue.take() == ("wait", "also") and queue.close_if_empty()


def test_what_cannot_be_told_any_more_is_handed_over() -> None:
    queue = opened()
    queue.put("one")
    assert queue.close() == ("one",) and queue.close() == () and not queue.put("two")


def test_many_threads_lose_nothing() -> None:
    """Every message that was accepted is taken, however a query that ends races with people who type."""
    queue, accepted, taken = opened(), [], []

    def type_on(name: int) -> None:
        accepted.extend(text for text in (f"{name}-{number}" for number in range(300)) if queue.put(text))

    threads = [threading.Thread(target=type_on, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    while not queue.close_if_empty() or any(thread.is_alive() for thread in threads):
        taken += queue.take()
        if not queue.is_open:
            queue.open()
    for thread in threads:
        thread.join()
    taken += queue.take()
    assert sorted(taken) == sorted(accepted)
    for name in range(4):
        mine = [int(text.split("-")[1]) for text in taken if text.startswith(f"{name}-")]
        assert mine == sorted(mine)


@given(st.lists(st.sampled_from(["open", "put", "take", "ask", "close"]), max_size=20))
def test_accepted_is_taken_waits_or_is_handed_back(steps: list[str]) -> None:
    queue, accepted, out = SteeringQueue(), [], []
    for number, step in enumerate(steps):
        if step == "open":
            queue.open()
        elif step == "put" and queue.put(str(number)):
            accepted.append(str(number))
        elif step == "take":
            out += queue.take()
        elif step == "ask":
            assert queue.close_if_empty() == (out == accepted)
        elif step == "close":
            out += queue.close()
            assert out == accepted
    assert [*out, *queue.take()] == accepted
