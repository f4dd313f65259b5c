"""What a person types while a query runs: kept in order until the model can be told, between two of its answers."""

from __future__ import annotations

import threading


class SteeringQueue:
    """The messages for one session's running query. Thread-safe.

    It is open while a query runs. A message is either taken by that query or refused, never lost: a query closes the
    queue with :meth:`close_if_empty` and goes on for one more answer when that says no. A query that has to end closes
    it with :meth:`close`, which hands over what nobody told the model.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[str] = []
        self._open = False

    @property
    def is_open(self) -> bool:
        """Whether a query runs that will take what is put."""
        return self._open

    def open(self) -> None:
        """A query begins. What an earlier one left behind stays in front."""
        with self._lock:
            self._open = True

    def put(self, text: str) -> bool:
        """Whether the running query will be told this; ``False`` when none runs, or when there is nothing to say."""
        with self._lock:
            if not self._open or not text.strip():
                return False
            self._waiting.append(text)
            return True

    def take(self) -> tuple[str, ...]:
        """Everything that waits, in the order of typing, each once."""
        with self._lock:
            taken, self._waiting = tuple(self._waiting), []
        return taken

    def close_if_empty(self) -> bool:
        """Whether the query may end. ``False`` when something waits: then the queue stays open."""
        with self._lock:
            self._open = bool(self._waiting)
            return not self._open

    def close(self) -> tuple[str, ...]:
        """The query ends, whatever waits: what it could not be told any more, in order, to be said some other way."""
        with self._lock:
            self._open = False
            left, self._waiting = tuple(self._waiting), []
        return left
