"""What a model's answers used up."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer, or of several together.

    Args:
        input_tokens: what was sent, without what the two cache fields count.
        output_tokens: what came back, thinking included.
        cache_read_tokens: what the provider read from its prompt cache.
        cache_write_tokens: what it put there.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Usage)))

    @property
    def prompt_tokens(self) -> int:
        """How big the request was: everything that was sent, cached or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


NO_USAGE = Usage()
"""Nothing was used up, or nobody said what."""
