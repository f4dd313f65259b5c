"""Which front ends show widgets. Nothing goes by their names: each is known by what it did before."""

from __future__ import annotations


class FrontEnds:
    """Remembers for each front end (by the id of its session) whether it showed the last widgets it was sent."""

    def __init__(self) -> None:
        self._shows: dict[str, bool] = {}

    def shows_widgets(self, client: str) -> bool | None:
        """``None`` when nobody knows yet."""
        return self._shows.get(client)

    def learn(self, client: str, shows: bool) -> None:
        self._shows[client] = shows
