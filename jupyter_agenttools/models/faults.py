"""The ways in which a model fails to answer, as data: for scripts that show them and recordings that keep them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..core.errors import (
    AgentToolsError,
    ContextOverflowError,
    ModelBusyError,
    ModelConnectionError,
    ModelError,
    UsageError,
)
from ..core.faults import words_of

_ERRORS: Mapping[str, tuple[type[AgentToolsError], str]] = MappingProxyType(
    {
        "rate_limit": (ModelBusyError, "the provider takes no more requests for now (rate limit)"),
        "overloaded": (ModelBusyError, "the provider is overloaded"),
        "connection": (ModelConnectionError, "the connection to the provider failed"),
        "context_overflow": (ContextOverflowError, "the conversation does not fit into the model's window"),
        "setup": (UsageError, "the provider does not accept the key"),
        "failure": (ModelError, "the provider refused the request"),
    }
)

FAULT_KINDS = tuple(_ERRORS)


@dataclass(frozen=True)
class Fault:
    """One failure of a model.

    Args:
        kind: one of :data:`FAULT_KINDS`; ``setup`` is for what a person has to put right.
        message: what the error says; words of our own when empty.
        retry_after_s: seconds after which the provider wants to be asked again, for ``rate_limit`` and ``overloaded``.
    """

    kind: str
    message: str = ""
    retry_after_s: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in _ERRORS:
            raise UsageError(f"{self.kind!r} is no fault of a model; there are: {', '.join(FAULT_KINDS)}")
        if self.retry_after_s is not None and not self._is_busy:
            raise UsageError(f"`retry_after_s` goes with rate_limit and overloaded, not with {self.kind}")

    @property
    def _is_busy(self) -> bool:
        return _ERRORS[self.kind][0] is ModelBusyError

    def error(self) -> AgentToolsError:
        """A fresh exception of this failure."""
        made, words = _ERRORS[self.kind]
        if made is ModelBusyError:
            return ModelBusyError(self.message or words, retry_after_s=self.retry_after_s)
        return made(self.message or words)


def fault_of(error: Exception) -> Fault:
    """The failure that an exception stands for; what is none of ours is told with the name of its class."""
    words = words_of(error)
    for kind, (made, _) in _ERRORS.items():
        if isinstance(error, made):
            return Fault(kind, words, getattr(error, "retry_after_s", None) if made is ModelBusyError else None)
    return Fault("failure", f"{type(error).__name__}: {words}")
