"""A live model: one provider's, asked through pydantic-ai."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from ...core.errors import UsageError
from ..protocol import ModelPart, ModelRequest, StopPart
from .connection import COMPATIBLE, Connection
from .table import ProviderKind

if TYPE_CHECKING:
    from pydantic_ai.models import Model as WireModel
    from pydantic_ai.models import StreamedResponse

    from .building import Built

TIMEOUT_S = 600.0
"""Seconds without a single byte after which an answer counts as broken off."""
HANG_UP_S = 2.0

_held: RunVar[dict[Any, tuple[WireModel, AsyncGenerator[None, None]]]] = RunVar("jupyter_agenttools_provider_models")
"""What was built for the running event loop: a connection belongs to the loop in which it was opened."""


class ProviderModel:
    """One model of one provider; see :func:`make_provider_model`.

    Its connections are kept from turn to turn, for each event loop its own, and are closed with the loop. Objects for
    the same model share them.
    """

    def __init__(
        self, kind: ProviderKind, model_name: str, connection: Connection, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        self.kind = kind
        self.model_name = model_name
        self.name = f"{kind.name}:{model_name}"
        self.provider = kind.name if connection.is_own else COMPATIBLE
        self.context_window: int | None = None
        self.timeout_s = timeout_s
        self._connection = connection
        self._identity = (kind.name, model_name, connection)

    def __repr__(self) -> str:
        return f"<ProviderModel {self.name}>"

    @property
    def is_loaded(self) -> bool:
        """Whether it can be asked in this event loop without loading anything first."""
        try:
            return self._identity in _held.get({})
        except anyio.NoEventLoopError:
            return False

    async def load(self) -> None:
        """Load what is needed (one to three seconds the first time, in a thread), so that the first turn need not.

        Raises:
            UsageError: the extra is not installed, or not whole.
        """
        await self._wire_model()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """The parts of the next answer; see :class:`~..protocol.Model`. Leaving it closes the connection."""
        ended: Exception | StopPart
        try:
            model = await self._wire_model()
            async with aclosing(_answer(model, request, self.timeout_s)) as parts:
                async for part in parts:
                    yield part
            return
        except Exception as error:
            ended = self._end_of(error)
        # Raised out here, so that the provider's own error, which holds the request and its key, is not attached.
        if isinstance(ended, StopPart):
            yield ended
            return
        raise ended

    def _end_of(self, error: Exception) -> Exception | StopPart:
        from .failures import as_model_error

        if type(error).__name__ == "ContentFilterError":
            return StopPart("refusal", detail="the provider's content filter stopped the answer")
        return as_model_error(error, self.name, self._connection)

    async def _wire_model(self) -> WireModel:
        """pydantic-ai's model for this event loop."""
        held = _held.get(None)
        if held is None:
            _held.set(held := {})
        if self._identity not in held:
            built = await anyio.to_thread.run_sync(self._build, abandon_on_cancel=True)
            if self._identity not in held:  # somebody else may have been faster
                held[self._identity] = built.model, (life := _life_of(built))
                await anext(life)
        model = held[self._identity][0]
        self.context_window = model.context_window
        return model

    def _build(self) -> Built:
        from .building import build_wire_model

        missing = ""
        try:
            return build_wire_model(self.kind, self.model_name, self._connection)
        except ImportError as error:
            missing = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(f"{self.name}: {missing}: pip install 'jupyter_agenttools[{self.kind.extra}]'")


async def _life_of(built: Built) -> AsyncGenerator[None, None]:
    """Holds the model's client open. An event loop that ends ends its generators, and with this one the client."""
    async with built.model, built.client or nullcontext():
        yield


async def _answer(model: WireModel, request: ModelRequest, timeout_s: float) -> AsyncGenerator[ModelPart, None]:
    from pydantic_ai.direct import model_request_stream

    from .building import opened_responses
    from .incoming import StreamReader
    from .outgoing import wire_messages, wire_parameters
    from .settings import wire_settings

    speaks_chat = any(each.__name__ == "OpenAIChatModel" for each in type(model).__mro__)
    used_ids = {use.id for message in request.messages for use in message.tool_uses}
    reader = StreamReader(used_ids, names_reason=speaks_chat)
    opened: list[Any] = []
    opened_responses.set(opened)
    async with model_request_stream(
        model,
        wire_messages(request, model.system),
        model_settings=wire_settings(request, model, timeout_s),  # type: ignore[arg-type]
        model_request_parameters=wire_parameters(request, model),
        instrument=False,
    ) as response:
        try:
            async for event in response:
                for part in reader.read(event):
                    yield part
        except BaseException:
            await _hang_up(response, opened)
            raise
        for part in reader.finish(response.get()):
            yield part


async def _hang_up(response: StreamedResponse, opened: list[Any]) -> None:
    """Close the connection now. Not every client does so by itself when nobody reads on."""
    with anyio.move_on_after(HANG_UP_S, shield=True):
        with suppress(Exception):
            await response.cancel()
        for each in opened:
            with suppress(Exception):
                await each.aclose()
