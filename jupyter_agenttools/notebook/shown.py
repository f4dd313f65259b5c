"""Values whose record stands in the cell already, so that IPython need not show them a second time."""

from __future__ import annotations

from typing import Any


class ShownValues:
    """Remembers such values until the display hook has come by, or the cell ends."""

    def __init__(self) -> None:
        self._values: list[Any] = []

    def add(self, value: Any) -> None:
        self._values.append(value)

    def take(self, value: Any) -> bool:
        """Whether this value needs no showing, this once."""
        for index, shown in enumerate(self._values):
            if shown is value:
                del self._values[index]
                return True
        return False

    def clear(self, *_: object) -> None:
        self._values.clear()
