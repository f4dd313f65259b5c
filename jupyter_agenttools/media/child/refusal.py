"""Why something was not decoded."""

from __future__ import annotations


class Refusal(Exception):
    """Told to the other process as it is.

    Args:
        code: a stable word for what is wrong.
        message: the same for people, without the path.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
