"""Makes pydantic-ai's own model. Importing it takes one to three seconds: call this in a thread."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from .connection import COMPATIBLE, Connection
from .table import ProviderKind

if TYPE_CHECKING:
    from pydantic_ai.models import Model as WireModel

NO_KEY = "no-key-needed"
"""What a server of one's own is sent as the key; its client insists on one."""


class Built(NamedTuple):
    """A model, and the HTTP client that it was given, ``None`` where it has its own."""

    model: WireModel
    client: Any = None


opened_responses: ContextVar[list[Any] | None] = ContextVar("jupyter_agenttools_opened_responses", default=None)
"""Where the HTTP responses of a request are put down, for clients that do not close them when nobody reads on."""


def build_wire_model(kind: ProviderKind, model_name: str, connection: Connection) -> Built:
    """The model, with a client that has not been used yet.

    Raises:
        ImportError: the extra is not installed, or not whole. Otherwise what pydantic-ai raises.
    """
    import pydantic_ai.direct  # noqa: F401  the first request would load it in the event loop

    if not connection.is_own and kind.name in ("openai", "openai-chat"):
        return Built(_compatible_model(model_name, connection))
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider_class

    arguments = _arguments(kind, connection)
    if kind.sdk == "google.genai":
        arguments["http_client"] = _noting_client()
    provider = infer_provider_class(kind.name)(**arguments)
    model = infer_model(f"{kind.name}:{model_name}", provider_factory=lambda _: provider)
    if kind.sdk == "openai":
        _complete_openai_events(model)
    return Built(model, arguments.get("http_client"))


def _complete_openai_events(model: WireModel) -> None:
    """Complete the classes of the Responses interface's events, half a second that its first answer would wait for."""
    from openai.types.responses import ResponseStreamEvent
    from pydantic_ai.models.openai import OpenAIResponsesModel

    if isinstance(model, OpenAIResponsesModel):
        for union in get_args(ResponseStreamEvent)[:1]:
            for event in get_args(union):
                event.model_rebuild()


def _noting_client() -> Any:
    """An HTTP client that puts its responses down. Google's client leaves those open that are not read to the end."""
    from pydantic_ai.models import create_async_httpx2_client

    async def note(response: Any) -> None:
        if (opened := opened_responses.get()) is not None:
            opened.append(response)

    client = create_async_httpx2_client()
    client.event_hooks = {**client.event_hooks, "response": [note]}
    return client


def _arguments(kind: ProviderKind, connection: Connection) -> dict[str, Any]:
    arguments: dict[str, Any] = dict(connection.options)
    if connection.key or (connection.url and kind.other_servers):
        arguments["api_key"] = connection.key or NO_KEY
    if connection.url:
        arguments[kind.url_argument] = connection.url
    return arguments


def _compatible_model(model_name: str, connection: Connection) -> WireModel:
    """A model behind another server's Chat Completions, the one interface that all of them have."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    provider = OpenAICompatibleProvider(COMPATIBLE, base_url=connection.url, api_key=connection.key or NO_KEY)
    return OpenAIChatModel(model_name, provider=provider)
