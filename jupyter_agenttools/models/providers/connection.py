"""What it takes to reach a provider. Nothing here shows itself: a key must not end up in a traceback or a log."""

from __future__ import annotations

from dataclasses import dataclass

COMPATIBLE = "openai-compatible"
"""The provider of a model behind any other server that speaks OpenAI's language; nobody knows its prices."""


@dataclass(frozen=True, repr=False)
class Connection:
    """A key and an address.

    Args:
        key: the secret, ``""`` for none.
        variable: the environment variable that it came from, or should come from.
        url: the address, ``""`` for the provider's own.
        options: further arguments of the provider's class, each with its name.
        is_own: whether the provider itself is behind the address, and not another server.
    """

    key: str
    variable: str
    url: str = ""
    options: tuple[tuple[str, str], ...] = ()
    is_own: bool = True

    def __repr__(self) -> str:
        return f"<Connection by {self.variable or 'no variable'}>"

    def without_secrets(self, text: str) -> str:
        """``text`` with the key, and whatever else of the options could be one, taken out."""
        for secret in (self.key, *dict(self.options).values()):
            if len(secret) >= 8:
                text = text.replace(secret, "[key]")
        return text
