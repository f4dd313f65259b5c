"""Every provider is reached as its table says, with the key and the address of the environment and of nowhere else."""

from __future__ import annotations

from importlib.util import find_spec

import anyio
import pytest

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.secrets import redact
from jupyter_agenttools.models.providers import PROVIDERS, ProviderKind, make_provider_model
from tests.support.provider_models import KEY, asking, calls_of, parts_of, text_of
from tests.support.provider_server import ProviderServer, Reply
from tests.support.provider_streams import Call, Text, Written

pytestmark = pytest.mark.anyio
HERE = "http://127.0.0.1:1/v1"
TESTED_SDKS = ("anthropic", "google.genai", "openai")


def env_of(kind: ProviderKind) -> dict[str, str]:
    return {**{variable: KEY for variable in kind.keys[:1]}, **({kind.url: HERE} if kind.url else {})}


@pytest.mark.parametrize("kind", [each for each in PROVIDERS.values() if each.sdk in TESTED_SDKS], ids=lambda k: k.name)
async def test_every_provider_can_be_made(kind: ProviderKind, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its own class, from nothing but the table: the process's environment has no key and no address."""
    for variable in (*kind.keys, kind.url):
        monkeypatch.delenv(variable or "UNUSED", raising=False)
    name = "openai/some-model" if kind.name == "openrouter" else "some-model"
    model = make_provider_model(kind.name, name, env=env_of(kind))
    await model.load()
    wire = await model._wire_model()
    assert wire.provider is not None
    if kind.url:
        assert wire.provider.base_url.rstrip("/").startswith(HERE)
    assert model.name == f"{kind.name}:{name}"
    assert KEY not in repr(model)


def test_outside_of_an_event_loop_nothing_is_loaded() -> None:
    assert not make_provider_model("openai", "m", env={"OPENAI_API_KEY": KEY}).is_loaded


def test_the_table_is_complete() -> None:
    for name, kind in PROVIDERS.items():
        assert name == kind.name
        assert kind.keys or not kind.needs_key
        assert kind.url or not (kind.needs_url or kind.other_servers)


def test_what_the_tests_need_is_installed() -> None:
    assert all(find_spec(sdk) for sdk in TESTED_SDKS)


def test_a_key_that_was_used_is_known_as_a_secret() -> None:
    key = "not-in-the-environment-81c2"
    make_provider_model("openai", "m", env={"OPENAI_API_KEY": key})
    assert key not in redact(f"the key is {key}")


@pytest.mark.parametrize("name", ["ollama", "openai", "openai-chat", "vllm"])
async def test_another_server_is_asked_where_the_models_name_says(name: str) -> None:
    items = [Text(["Well"]), Call("Look", ['{"a": 1}'])]
    with ProviderServer(Reply(Written("chat", items, "tools").body())).running() as server:
        model = make_provider_model(name, f"some:model@{server.url}/v1", env={})
        parts = await parts_of(model)
        asked = server.asked[0]
    assert (asked.path, asked.body["model"]) == ("/v1/chat/completions", "some:model")
    assert text_of(parts) == "Well"
    assert dict(calls_of(parts)[0].tool_use.input) == {"a": 1}
    assert model.name == f"{name}:some:model"


async def test_a_name_that_the_provider_cannot_have_is_told_to_the_person() -> None:
    model = make_provider_model("openrouter", "some-model", env={"OPENROUTER_API_KEY": KEY})
    with pytest.raises(UsageError, match="openai/some-model"):
        await parts_of(model, asking())


async def test_two_that_load_at_the_same_time_share_what_was_built() -> None:
    model = make_provider_model("openai", "twice@http://127.0.0.1:1/v1", env={})
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(model.load)
    assert await model._wire_model() is await model._wire_model()
