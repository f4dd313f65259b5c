"""What providers refuse, and how: each becomes one of our errors with a clear message, and no key comes with it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import (
    ContextOverflowError,
    ModelBusyError,
    ModelConnectionError,
    ModelError,
    UsageError,
)
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.models.providers import building, make_provider_model, making
from jupyter_agenttools.models.providers.model import ProviderModel
from tests.support.provider_models import KEY, model_at, parts_before_error, parts_of, served
from tests.support.provider_server import ProviderServer, Reply
from tests.support.provider_streams import FORMATS, Format, Text, Written, sse

pytestmark = pytest.mark.anyio
every_format = pytest.mark.parametrize("format", FORMATS)


def said(format: Format, message: str, kind: str, status: int, code: str | None = None) -> Any:
    """An error's body as this provider writes it."""
    if format == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    if format == "google":
        return {"error": {"code": status, "message": message, "status": (code or kind).upper()}}
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def refused(format: Format, status: int, message: str, kind: str, code: str | None = None, **headers: str) -> Reply:
    return Reply.fault(status, said(format, message, kind, status, code), **headers)


async def error_of(format: Format, reply: Reply) -> Exception:
    with served(format, reply) as (model, server):
        parts, error = await parts_before_error(model)
        assert not parts
        assert len(server.asked) == 1, "the provider's own client must not ask again by itself"
    return error


@every_format
@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_named_by_its_variable_and_never_shown(format: Format, status: int) -> None:
    message = f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}"
    error = await error_of(format, refused(format, status, message, "authentication_error", "invalid_api_key"))
    variable = {"anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}.get(format, "OPENAI_API_KEY")
    assert type(error) is ModelError
    assert variable in str(error)
    assert_no_key(error)


async def test_google_refuses_a_key_as_a_bad_request() -> None:
    reply = refused("google", 400, f"API key not valid: {KEY}. Please pass a valid API key.", "invalid_argument")
    error = await error_of("google", reply)
    assert "GOOGLE_API_KEY" in str(error)
    assert_no_key(error)


async def test_a_model_that_gives_up_within_its_answer() -> None:
    body = [each.replace('"STOP"', '"MALFORMED_FUNCTION_CALL"') for each in Written("google", [Text(["Well"])]).body()]
    with served("google", Reply(body)) as (model, _):
        parts, error = await parts_before_error(model)
    assert len(parts) == 1
    assert isinstance(error, ModelError)
    assert "MALFORMED_FUNCTION_CALL" in str(error)


@every_format
async def test_an_unknown_model_is_named(format: Format) -> None:
    reply = refused(format, 404, "model: nothing-5 was not found", "not_found_error", "model_not_found")
    error = await error_of(format, reply)
    assert type(error) is ModelError
    assert "no such model" in str(error)
    assert "nothing-5" in str(error)


@every_format
@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [(429, "rate_limit_error", "rate_limit_exceeded"), (529, "overloaded_error", None), (503, "unavailable", None)],
)
async def test_a_busy_provider_says_when_to_come_back(format: Format, status: int, kind: str, code: str | None) -> None:
    error = await error_of(format, refused(format, status, "Slow down", kind, code, retry_after="7"))
    assert isinstance(error, ModelBusyError), error
    assert error.retry_after_s == 7
    assert "Slow down" in str(error)


@every_format
async def test_a_busy_provider_that_does_not_say_when(format: Format) -> None:
    error = await error_of(format, refused(format, 429, "Slow down", "rate_limit_error", "rate_limit_exceeded"))
    assert isinstance(error, ModelBusyError)
    assert error.retry_after_s is None


OVERFLOWS = {
    "anthropic": ("prompt is too long: 213462 tokens > 200000 maximum", "invalid_request_error", None),
    "chat": (
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        "invalid_request_error",
        "context_length_exceeded",
    ),
    "responses": (
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "invalid_request_error",
        "context_length_exceeded",
    ),
    "google": (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "invalid_argument",
        None,
    ),
}


@every_format
async def test_a_conversation_that_does_not_fit(format: Format) -> None:
    message, kind, code = OVERFLOWS[format]
    error = await error_of(format, refused(format, 400, message, kind, code))
    assert isinstance(error, ContextOverflowError), error


@pytest.mark.parametrize(
    "message",
    [
        "request (9031 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "This model's maximum context length is 4096 tokens, however you requested 5000 tokens",
        "Input is too long for requested model.",
    ],
)
async def test_servers_of_ones_own_say_it_in_their_own_words(message: str) -> None:
    error = await error_of("chat", Reply.fault(400, {"error": {"message": message}}))
    assert isinstance(error, ContextOverflowError)


@every_format
async def test_a_request_that_is_refused_says_why(format: Format) -> None:
    error = await error_of(format, refused(format, 400, "messages.0: is odd", "invalid_request_error"))
    assert type(error) is ModelError
    assert "messages.0: is odd" in str(error)


@every_format
async def test_a_provider_that_fails(format: Format) -> None:
    error = await error_of(format, refused(format, 500, "Something went wrong", "api_error"))
    assert isinstance(error, ModelConnectionError)
    assert "Something went wrong" in str(error)


@every_format
async def test_a_page_of_a_proxy_in_place_of_an_answer(format: Format) -> None:
    page = Reply(("<html><body>" + "Bad gateway " * 200 + "</body></html>",), 502, {"content-type": "text/html"})
    error = await error_of(format, page)
    assert isinstance(error, ModelConnectionError)
    assert len(str(error)) < 700


async def test_an_overload_in_the_middle_of_an_answer() -> None:
    body = Written("anthropic", [Text(["Well"])], None).body()
    fault = sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")
    with served("anthropic", Reply([*body, fault])) as (model, _):
        parts, error = await parts_before_error(model)
    assert isinstance(error, ModelBusyError)
    assert [part.text for part in parts] == ["Well"]


async def test_an_account_without_credit_is_not_busy() -> None:
    reply = refused("chat", 429, "You exceeded your quota", "insufficient_quota", "insufficient_quota")
    error = await error_of("chat", reply)
    assert type(error) is ModelError
    assert "quota" in str(error)


@every_format
async def test_nobody_there(format: Format) -> None:
    with ProviderServer().running() as server:
        url = server.url
    parts, error = await parts_before_error(model_at(format, url))
    assert not parts
    assert isinstance(error, ModelConnectionError), error
    assert_no_key(error)


@every_format
async def test_a_provider_that_says_nothing_for_too_long(format: Format) -> None:
    with ProviderServer(Reply([threading.Event()])).running() as server:
        usual = model_at(format, server.url)
        model = ProviderModel(usual.kind, usual.model_name, usual._connection, timeout_s=0.2)
        _, error = await parts_before_error(model)
    assert isinstance(error, ModelConnectionError), error


# ---- secrets


def assert_no_key(error: BaseException, key: str = KEY) -> None:
    """Neither the error, nor what it hangs together with, nor a traceback with all variables shows the key."""
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or each in seen:
            continue
        seen.append(each)
        waiting += [each.__cause__, each.__context__]
        assert key not in str(each)
        assert key not in repr(each)
        assert key not in repr(vars(each))
        shown = "".join(traceback.TracebackException.from_exception(each, capture_locals=True).format())
        assert key not in shown
    assert seen == [error], "an error of the provider's client holds the request, and with it the key"


@every_format
@pytest.mark.parametrize(
    "reply",
    [
        Reply.fault(400, {"error": {"message": f"bad header Authorization: Bearer {KEY}", "type": "x"}}),
        Reply.fault(429, {"error": {"message": f"{KEY} is over its limit", "type": "rate_limit_error"}}),
        Reply.fault(404, {"detail": f"no route for {KEY}"}),
        Reply((f"<html>{KEY}</html>",), 500, {"content-type": "text/html"}),
        Reply((f"data: {KEY}\n\n",)),
        Reply((), cut=True),
    ],
    ids=["400", "429", "404", "500", "no event", "cut"],
)
async def test_no_error_shows_the_key(format: Format, reply: Reply) -> None:
    with served(format, reply) as (model, server):
        _, error = await parts_before_error(model)
        sent = json.dumps([dict(each.headers) for each in server.asked])
    assert KEY in sent
    assert_no_key(error)
    assert KEY not in repr(model)
    assert KEY not in repr(vars(model))


@every_format
async def test_neither_the_updates_nor_the_transcript_show_the_key(format: Format, tmp_path: Path) -> None:
    replies = [refused(format, 401, f"wrong key {KEY}", "authentication_error"), Reply((KEY,), 400)]
    with ProviderServer(*replies).running() as server:
        session = Session(tmp_path, {}, model=model_at(format, server.url), session_dir=tmp_path / "session")
        updates = [update for _ in range(2) for update in [each async for each in session.query("hi")]]
        await session.aclose()
    ends = [update for update in updates if isinstance(update, TurnEnded)]
    assert [end.reason for end in ends] == ["error", "error"]
    assert KEY not in repr(updates)
    for file in (tmp_path / "session").rglob("*"):
        if file.is_file():
            assert KEY not in file.read_text(errors="replace"), file


# ---- what a person has to set up


@pytest.mark.parametrize(
    ("provider", "variables"),
    [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("google", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
    ],
)
def test_a_missing_key_is_told_with_its_variable(provider: str, variables: str) -> None:
    with pytest.raises(UsageError, match=f"Set the environment variable {variables}\\."):
        make_provider_model(provider, "some-model", env={})


@pytest.mark.parametrize(
    ("provider", "gone", "command"),
    [
        ("anthropic", "anthropic", "pip install 'jupyter_agenttools[anthropic]'"),
        ("google", "google.genai", "pip install 'jupyter_agenttools[google]'"),
        ("openai", "pydantic_ai", "pip install 'jupyter_agenttools[openai]'"),
        ("deepseek", "openai", "pip install 'jupyter_agenttools[openai]'"),
    ],
)
def test_a_missing_extra_is_told_with_its_command(
    provider: str, gone: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = making.find_spec
    monkeypatch.setattr(making, "find_spec", lambda name: None if name == gone else found(name))
    env = {"ANTHROPIC_API_KEY": KEY, "GOOGLE_API_KEY": KEY, "OPENAI_API_KEY": KEY, "DEEPSEEK_API_KEY": KEY}
    with pytest.raises(UsageError) as caught:
        make_provider_model(provider, "some-model", env=env)
    assert str(caught.value).endswith(command)


async def test_an_extra_that_is_not_whole_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider's package is there, but something that it needs is not."""

    def broken(*_: Any) -> None:
        raise ModuleNotFoundError("No module named 'jiter'")

    monkeypatch.setattr(building, "build_wire_model", broken)
    model = make_provider_model("anthropic", "some-model", env={"ANTHROPIC_API_KEY": KEY})
    with pytest.raises(UsageError, match=r"jiter.*pip install 'jupyter_agenttools\[anthropic\]'"):
        await parts_of(model)


def test_an_unknown_provider_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no provider `antropic`.*anthropic.*openai"):
        make_provider_model("antropic", "x", env={})


@pytest.mark.parametrize(
    ("provider", "name", "words"),
    [
        ("openai", "", "which model"),
        ("openai", "@http://127.0.0.1:1/v1", "which model"),
        ("openai", "m@http://", "after the @"),
        ("openai", "m@http://me:secret-word@127.0.0.1/v1", "after the @"),
        ("openai", "m@http://[::1", "after the @"),
        ("anthropic", "m@http://127.0.0.1/v1", "another address"),
        ("vllm", "m", "VLLM_BASE_URL"),
    ],
)
def test_an_address_that_cannot_be_used(provider: str, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        make_provider_model(provider, name, env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
    assert "secret-word" not in str(caught.value)


async def test_a_key_never_goes_to_a_server_that_the_models_name_gave() -> None:
    answers = [Reply(Written("chat", [Text(["Well"])]).body()) for _ in range(2)]
    with ProviderServer(*answers).running() as server:
        name = f"m@{server.url}/v1"
        await parts_of(make_provider_model("openai", name, env={"OPENAI_API_KEY": KEY}))
        own = {"OPENAI_API_KEY": KEY, "OPENAI_COMPATIBLE_API_KEY": "for-this-one"}
        await parts_of(make_provider_model("openai", name, env=own))
        headers = [each.headers for each in server.asked]
    assert KEY not in json.dumps(headers)
    assert headers[1]["authorization"] == "Bearer for-this-one"


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "https://eu.api.openai.com/v1", ""])
def test_only_openai_itself_has_openais_prices(url: str) -> None:
    own = make_provider_model("openai", "gpt-5", env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url})
    other = make_provider_model("openai", "gpt-5@http://127.0.0.1:1/v1", env={})
    assert (own.provider, other.provider) == ("openai", "openai-compatible")


async def test_loading_does_not_hold_up_the_event_loop() -> None:
    """In a fresh interpreter, where everything has yet to be imported."""
    script = """
import anyio, time
from jupyter_agenttools.models.providers import building, make_provider_model, making

async def main():
    model = make_provider_model("openai", "m@http://127.0.0.1:1/v1", env={})
    longest = 0.0
    async def watch():
        nonlocal longest
        last = time.perf_counter()
        while True:
            await anyio.sleep(0.005)
            now = time.perf_counter(); longest = max(longest, now - last); last = now
    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        began = time.perf_counter()
        await model.load()
        took = time.perf_counter() - began
        group.cancel_scope.cancel()
    assert model.is_loaded
    assert longest < took / 2, (longest, took)

anyio.run(main)
"""
    done = await anyio.to_thread.run_sync(
        lambda: subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    )
    assert done.returncode == 0, done.stderr
