"""What went wrong at the provider, as one of our errors: what happened, what to do, and nothing that is secret."""

from __future__ import annotations

import re
from typing import Any

from ...core.errors import (
    ContextOverflowError,
    ModelBusyError,
    ModelConnectionError,
    ModelError,
    UsageError,
)
from ...core.faults import words_of
from ...core.secrets import redact
from .connection import Connection

MAX_WORDS = 500
"""Characters of what the provider said that are passed on."""

_BUSY = (408, 409, 425, 429, 503, 529)
_OVERFLOW = re.compile(
    r"context (length|window|size)|maximum context|context_length_exceeded|prompt is too long|too many (input )?tokens"
    r"|input is too long|exceeds? the (maximum|limit|available) .{0,40}tokens|token count .{0,40}exceeds",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"api[ _]key (not valid|expired|not found)|API_KEY_INVALID|invalid api[ _]key", re.IGNORECASE)
"""How some say it under a status that means something else."""


def as_model_error(error: Exception, label: str, connection: Connection) -> Exception:
    """The error to raise instead. It has no cause: that holds the request, and the request holds the key.

    Args:
        label: the model, as the person named it.
    """
    if isinstance(error, (ModelError, UsageError)):
        return error
    from pydantic_ai import exceptions as wire

    words = _clean(_words(error), connection)
    if isinstance(error, wire.ModelAPIError):
        return _of_api(error, label, words, connection)
    if isinstance(error, wire.UserError):
        return UsageError(f"{label}: {words}")
    if isinstance(error, wire.UnexpectedModelBehavior):
        return ModelConnectionError(f"{label}: the answer cannot be read: {words}")
    if _is_transport(error):
        return ModelConnectionError(f"{label}: the connection failed: {words or type(error).__name__}")
    return ModelError(f"{label}: {type(error).__name__}: {words}")


def _of_api(error: Any, label: str, words: str, connection: Connection) -> ModelError:
    from pydantic_ai import exceptions as wire

    status = getattr(error, "status_code", None)
    if isinstance(error, wire.ModelContextWindowExceededError) or status == 413 or _OVERFLOW.search(words):
        return ContextOverflowError(f"{label}: the conversation does not fit into the model's window: {words}")
    if isinstance(error, wire.ModelAuthenticationError) or status in (401, 403) or _BAD_KEY.search(words):
        return ModelError(f"{label}: access was refused ({status or 'no status'}). {_about_key(connection)}")
    if isinstance(error, wire.ModelNotFoundError) or status == 404:
        near = getattr(error, "suggested_model_id", None)
        hint = f" Did you mean {near}?" if near else " Look up its name, or the server's address."
        return ModelError(f"{label}: there is no such model: {words}.{hint}")
    if isinstance(error, wire.ModelQuotaExceededError):
        return ModelError(f"{label}: the account's quota is used up: {words}")
    if isinstance(error, (wire.ModelRateLimitError, wire.ModelUnavailableError)) or status in _BUSY:
        return ModelBusyError(f"{label} is busy ({status or 'no status'}): {words}", retry_after_s=error.retry_after)
    if isinstance(error, (wire.ModelTimeoutError, wire.ModelRequestTimeout)):
        return ModelConnectionError(f"{label} did not answer in time: {words}")
    if isinstance(error, wire.ModelConnectionError):
        return ModelConnectionError(f"{label}: the connection failed: {words}")
    if isinstance(error, wire.ModelServerError) or (status or 0) >= 500:
        return ModelConnectionError(f"{label}: the provider failed ({status or 'no status'}): {words}")
    if isinstance(error, wire.ModelRequestRejectedError) or status is not None:
        return ModelError(f"{label}: the request was refused ({status or 'no status'}): {words}")
    return ModelConnectionError(f"{label}: the answer cannot be read: {words}")


def _about_key(connection: Connection) -> str:
    if not connection.variable:
        return "Check how you are signed in there."
    if not connection.key:
        return f"There is no key: set the environment variable {connection.variable}."
    return f"Check the key in the environment variable {connection.variable}, and what it may use."


def _words(error: Exception) -> str:
    """What the provider itself says, without what surrounds it."""
    body = getattr(error, "body", None)
    for _ in range(3):
        if isinstance(body, list) and body:
            body = body[0]
        if isinstance(body, dict):
            body = body.get("error") or body.get("message") or body.get("detail") or body
    if isinstance(body, dict):
        body = body.get("message") or str(body)
    said = body if isinstance(body, str) and body.strip() else words_of(error)
    return " ".join(said.split())


def _clean(words: str, connection: Connection) -> str:
    cleaned = redact(connection.without_secrets(words))
    return cleaned if len(cleaned) <= MAX_WORDS else cleaned[: MAX_WORDS - 1] + "…"


def _is_transport(error: Exception) -> bool:
    """Whether it comes from the transport: HTTP clients name their modules alike."""
    modules = {cls.__module__.partition(".")[0] for cls in type(error).__mro__}
    return bool(modules & {"httpx", "httpx2", "httpcore", "httpcore2"}) or isinstance(error, (OSError, TimeoutError))
