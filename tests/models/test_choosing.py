"""Naming a model: every way to do it, and what is said where it cannot be had."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import ManualModel, RecordedModel, ScriptedModel, UsageError, make_model
from jupyter_agenttools.models import (
    ALIASES,
    MODEL_KINDS,
    MODEL_VARIABLE,
    ModelRequest,
    RetryingModel,
    TerminalPlayer,
    TextPart,
    Turn,
    default_spec,
    model_specs,
    resolve_spec,
)

pytestmark = pytest.mark.anyio

ASKED = ModelRequest("", (), ())
KEYS = {"ANTHROPIC_API_KEY": "k" * 20, "OPENAI_API_KEY": "k" * 20}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.endswith(("_API_KEY", "_TOKEN")) or n.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)


async def answer(model: Any, request: ModelRequest) -> list[Any]:
    return [part async for part in model.stream(request)]


async def first(model: Any) -> Any:
    return (await answer(model, ASKED))[0]


async def test_a_script_in_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "lesson.yaml").write_text("- hello")
    for spec in ("script:lesson.yaml", f"script:{tmp_path}/lesson.yaml", " script: lesson.yaml "):
        model = make_model(spec, cwd=tmp_path)
        assert model.name == "scripted" and await first(model) == TextPart("hello")


async def test_a_recording(tmp_path: Path) -> None:
    recording = RecordedModel.record(ScriptedModel(["hello"]), tmp_path / "c.jsonl", cwd=tmp_path)
    await first(recording)
    assert await first(make_model("replay:c.jsonl", cwd=tmp_path)) == TextPart("hello")
    other = ModelRequest("other", (), ())
    model = make_model("replay:c.jsonl", cwd=tmp_path, match="conversation")
    assert (await answer(model, other))[0] == TextPart("hello")


async def test_manual() -> None:
    class Player:
        async def play(self, request: ModelRequest) -> Turn:
            return Turn()

    player = Player()
    mine, terminal = make_model("manual", player=player), make_model("manual")
    assert isinstance(mine, ManualModel) and mine.player is player
    assert isinstance(terminal, ManualModel) and isinstance(terminal.player, TerminalPlayer)


@pytest.mark.parametrize(
    ("spec", "env", "meant"),
    [
        ("sonnet", {}, ALIASES["sonnet"][0]),
        ("sonnet", {"ANTHROPIC_DEFAULT_SONNET_MODEL": "claude-sonnet-4-5"}, "anthropic:claude-sonnet-4-5"),
        ("sonnet", {"ANTHROPIC_DEFAULT_SONNET_MODEL": "bedrock:x.y:0"}, "bedrock:x.y:0"),
        ("sonnet", {"ANTHROPIC_DEFAULT_SONNET_MODEL": "sonnet"}, ALIASES["sonnet"][0]),
        ("claude-opus-4-5", {}, "anthropic:claude-opus-4-5"),
        ("gpt-5", {}, "openai:gpt-5"),
        ("gemini-2.5-pro", {}, "google:gemini-2.5-pro"),
        ("ollama:qwen3:4b", {}, "ollama:qwen3:4b"),
        ("manual", {}, "manual"),
    ],
)
def test_what_a_name_means(spec: str, env: dict[str, str], meant: str) -> None:
    assert resolve_spec(spec, env) == meant


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "no model was named"),
        ("sonett", "did you mean `sonnet`?"),
        ("antropic:x", "did you mean `anthropic`?"),
        ("script", "script:FILE"),
        ("script:", "names no file"),
        ("anthropic:", "names no model"),
        ("manual:x", "there is no model `manual:x`"),
        ("foo:bar", "local, manual, script:FILE, replay:FILE"),
    ],
)
def test_a_name_that_there_is_not(spec: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        make_model(spec)
    assert words in str(error.value) and "\n" not in str(error.value)
    if "no model `" in words or "mean" in words:
        assert all(name in str(error.value) for name in ("anthropic", "openai", "ollama", *ALIASES))


@pytest.mark.parametrize(
    "spec",
    [
        "script:nowhere.yaml",
        "replay:nowhere.jsonl",
        pytest.param(
            "local:nowhere.gguf", marks=pytest.mark.skipif(find_spec("xllamacpp") is None, reason="no local engine")
        ),
    ],
)
def test_a_file_that_is_not_there(spec: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{tmp_path}/nowhere"):
        make_model(spec, cwd=tmp_path)


def test_a_key_that_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match=r"ANTHROPIC_API_KEY|pip install 'jupyter_agenttools\[anthropic\]'"):
        make_model("sonnet")


def test_an_extra_that_is_missing_is_named() -> None:
    """In a fresh interpreter that cannot import pydantic-ai, whatever is installed here."""
    code = (
        "import sys, importlib.util as u\n"
        "real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'pydantic_ai' else real(name, *a)\n"
        "from jupyter_agenttools import UsageError, make_model\n"
        "try: make_model('anthropic:x', settings_env={'ANTHROPIC_API_KEY': 'k'})\n"
        "except UsageError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'jupyter_agenttools[anthropic]'" in ran.stdout


def test_a_live_model_is_asked_again_and_loads_nothing_yet() -> None:
    pytest.importorskip("pydantic_ai")
    pytest.importorskip("openai")
    code = (
        "import sys\n"
        "from jupyter_agenttools import make_model\n"
        "model = make_model('openai:gpt-5', settings_env={'OPENAI_API_KEY': 'k'})\n"
        "print(type(model).__name__, model.name, 'openai' in sys.modules, 'pydantic_ai' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [RetryingModel.__name__, "openai:gpt-5", "False", "False"]


def test_the_default() -> None:
    assert default_spec(None, {}) == ""
    assert default_spec("sonnet", {}) == "sonnet"
    assert default_spec("sonnet", {MODEL_VARIABLE: " manual "}) == "manual"


def test_every_way_to_name_a_model_is_listed() -> None:
    specs = model_specs(KEYS)
    assert {each.spec for each in specs} == set(MODEL_KINDS)
    assert all(each.about for each in specs)
    states = [bool(each.missing) for each in specs]
    assert states == sorted(states), "what can be used comes first"
    groq = next(each for each in specs if each.spec == "groq:")
    assert "GROQ_API_KEY" in groq.missing or "pip install" in groq.missing
    for each in specs:
        if not each.spec.endswith(":") and each.spec != "local":
            assert resolve_spec(each.spec, {})
