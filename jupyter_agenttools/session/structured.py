"""The answer of a query as data: from the tool that takes it, or from the text of an answer that fits by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio.to_thread

from ..core.cancel import Cancellation
from ..core.errors import InterruptedToolError
from ..core.immutable import thaw
from ..core.names import SYNTHETIC_OUTPUT_TOOL_NAME
from ..core.tool import Tool
from ..core.updates import CallFinished, TurnEnded, Update
from ..registry import fits_schema, make_output_tool


class StructuredAnswer:
    """Watches one query for its answer as data.

    Args:
        schema: a JSON schema, ``None`` for a query that wants prose.

    Attributes:
        tools: what the query has beside the session's own tools, once it was prepared.
    """

    def __init__(self, schema: Mapping[str, Any] | None) -> None:
        self._schema = schema
        self.tools: tuple[Tool, ...] = ()
        self._value: Any = None

    async def prepare(self, cancellation: Cancellation) -> None:
        """Look at the schema, which may take seconds: in a worker thread.

        Raises:
            UsageError: it is no JSON Schema.
        """
        if self._schema is None:
            return
        try:
            made = await anyio.to_thread.run_sync(make_output_tool, self._schema, cancellation, abandon_on_cancel=True)
        except InterruptedToolError:  # the query ends before the model is asked
            return
        self.tools = (made,)

    async def seen(self, update: Update, cancellation: Cancellation) -> Update:
        """The update as a caller gets it: the end of the turn holds the answer."""
        if self._schema is None:
            return update
        if isinstance(update, CallFinished):
            outcome = update.outcome
            if outcome.tool_use.name == SYNTHETIC_OUTPUT_TOOL_NAME and outcome.status == "ok" and outcome.result:
                self._value = outcome.result.structured_output
        elif isinstance(update, TurnEnded):
            value = thaw(self._value) if self._value is not None else await self._of_text(update.text, cancellation)
            return replace(update, structured_output=value)
        return update

    async def _of_text(self, text: str, cancellation: Cancellation) -> Any:
        """The data that a text is, if it is known to fit; a fence around it does not matter."""
        body = text.strip()
        if body.startswith("```") and body.endswith("```"):
            body = body[3:-3].partition("\n")[2]
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return None
        assert self._schema is not None
        try:
            fits = await anyio.to_thread.run_sync(
                fits_schema, value, self._schema, cancellation, abandon_on_cancel=True
            )
        except InterruptedToolError:
            return None
        return value if fits else None
