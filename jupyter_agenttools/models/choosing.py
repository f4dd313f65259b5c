"""Which model answers? From a short text such as ``sonnet`` or ``script:lesson.yaml`` to a model."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..core.errors import UsageError
from .manual import ManualModel, Player
from .protocol import Model
from .providers import PROVIDERS, make_provider_model
from .recorded import Match, RecordedModel
from .retrying import RetryingModel, RetryPolicy
from .scripted import ScriptedModel

MODEL_VARIABLE = "JUPYTER_AGENTTOOLS_MODEL"
"""The environment variable with the model that answers where nothing else is said."""

ALIASES: Mapping[str, tuple[str, str]] = {
    "fable": ("anthropic:claude-fable-5-2", "ANTHROPIC_DEFAULT_FABLE_MODEL"),
    "haiku": ("anthropic:claude-haiku-5-5", "ANTHROPIC_DEFAULT_HAIKU_MODEL"),
    "opus": ("anthropic:claude-opus-5-5", "ANTHROPIC_DEFAULT_OPUS_MODEL"),
    "sonnet": ("anthropic:claude-sonnet-5-5", "ANTHROPIC_DEFAULT_SONNET_MODEL"),
}
"""Short names: what each stands for, and the variable that may hold another model for it."""

_PROVIDER_OF = {"claude-": "anthropic", "gpt-": "openai", "gemini-": "google", "o1": "openai", "o3": "openai"}
"""How the names of models begin that are given without their provider."""

_OWN = {
    "local": "the small model that runs on this machine",
    "manual": "you are the model: each answer is filled into a form",
    "script:": "turns written beforehand, in a JSON or YAML file",
    "replay:": "the answers of a recording, without a key",
}


MODEL_KINDS: Mapping[str, str] = {
    **_OWN,
    **{alias: usual for alias, (usual, _) in ALIASES.items()},
    **{f"{name}:": f"a model of {name}" for name in PROVIDERS},
}
"""Every way to name a model, and what it is; one that ends in ``:`` is gone on with a name or a file."""


class ModelSpec(NamedTuple):
    """One way to name a model, for completion and help.

    Attributes:
        spec: the text; one that ends in ``:`` is gone on with a name or a file.
        about: what it is. missing: what has to be done before it can be used, ``""`` when it can be.
    """

    spec: str
    about: str
    missing: str = ""


def make_model(
    spec: str,
    *,
    cwd: str | Path | None = None,
    settings_env: Mapping[str, str] | None = None,
    player: Player | None = None,
    match: Match = "strict",
    retry: RetryPolicy | None = None,
) -> Model:
    """The model that ``spec`` names. Nothing heavy is loaded and nobody is asked before its first answer.

    Args:
        spec: ``PROVIDER:NAME`` (``anthropic:claude-sonnet-5-5``), a short name (``sonnet``), a name that tells its
            provider (``claude-sonnet-5-5``), ``local``, ``local:FILE``, ``manual``, ``script:FILE`` or
            ``replay:FILE``.
        cwd: where files are looked for, by default the working directory of the process.
        settings_env: variables that stand over those of the process, where keys and addresses are read from.
        player: who plays ``manual``; a terminal by default.
        match: what must be as it was recorded, for ``replay``.
        retry: when a provider is asked again, or a script that plays a busy one; local models and recordings never are.

    Raises:
        UsageError: there is no such model (says which there are), a file cannot be read, or an extra or a key is
            missing (says the command, or the variable).
    """
    env = {**os.environ, **(settings_env or {})}
    folder = Path(cwd) if cwd is not None else Path.cwd()
    kind, _, rest = resolve_spec(spec, env).partition(":")
    if kind == "script":
        return RetryingModel(ScriptedModel.load(_file(rest, folder)), retry)
    if kind == "replay":
        return RecordedModel.replay(_file(rest, folder), match, cwd=folder)
    if kind == "manual" and not rest:
        return ManualModel(player or _terminal())
    if kind == "local":
        from .local import make_local_model

        return make_local_model(str(_file(rest, folder)) if rest else "")
    return RetryingModel(make_provider_model(kind, rest, env=env), retry)


def resolve_spec(spec: str, env: Mapping[str, str]) -> str:
    """``spec`` with a short name, or one without its provider, written out.

    Raises:
        UsageError: it names nothing that there is.
    """
    spec = spec.strip()
    if spec in ALIASES:
        usual, variable = ALIASES[spec]
        chosen = env.get(variable, "").strip()
        return resolve_spec(chosen, env) if chosen and chosen not in ALIASES else usual
    kind, colon, rest = spec.partition(":")
    if spec in ("local", "manual") or (colon and kind in ("script", "replay", "local", *PROVIDERS)):
        if colon and not rest:
            raise UsageError(
                f"`{spec}` names no {'file' if kind in ('script', 'replay') else 'model'} behind the colon"
            )
        return spec
    if provider := next((name for start, name in _PROVIDER_OF.items() if spec.startswith(start)), ""):
        return f"{provider}:{spec}"
    raise UsageError(_no_such(spec, kind if colon else spec))


def _no_such(spec: str, word: str) -> str:
    known = [*(name.rstrip(":") for name in _OWN), *ALIASES, *PROVIDERS]
    near = difflib.get_close_matches(word, known, n=1)
    said = f"there is no model `{spec}`" if spec else "no model was named"
    hint = f"; did you mean `{near[0]}`?" if near else "."
    return (
        f"{said}{hint} There are: local, manual, script:FILE, replay:FILE, the short names {', '.join(ALIASES)}, and "
        f"PROVIDER:NAME with one of {', '.join(PROVIDERS)}"
    )


def default_spec(settings_model: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """The model that answers where nobody names one: that of the environment, else that of the settings, else ``""``.

    Args:
        settings_model: the value of ``model`` in the settings.
        env: the environment, by default that of the process.
    """
    return ((env if env is not None else os.environ).get(MODEL_VARIABLE) or settings_model or "").strip()


def model_specs(env: Mapping[str, str] | None = None) -> tuple[ModelSpec, ...]:
    """Every way to name a model, those that can be used as things are first.

    Args:
        env: where keys are looked for, by default the environment of the process.
    """
    env = os.environ if env is None else env
    own = [ModelSpec(spec, about, _missing(spec, env) if spec == "local" else "") for spec, about in _OWN.items()]
    short = []
    for alias in ALIASES:
        meant = resolve_spec(alias, env)
        short.append(ModelSpec(alias, meant, _missing(meant, env)))
    live = [ModelSpec(f"{name}:", f"a model of {name}", _missing(f"{name}:NAME", env)) for name in PROVIDERS]
    return tuple(sorted((*own, *short, *live), key=lambda each: bool(each.missing)))


def _missing(spec: str, env: Mapping[str, str]) -> str:
    """What has to be done before ``spec`` can be used."""
    kind, _, rest = spec.partition(":")
    try:
        if kind == "local":
            from .local import make_local_model

            make_local_model(rest)
        else:
            make_provider_model(kind, rest, env=env)
    except UsageError as error:
        return str(error)
    return ""


def _file(name: str, folder: Path) -> Path:
    return folder / Path(name.strip()).expanduser()


def _terminal() -> Player:
    from .terminal_player import TerminalPlayer

    return TerminalPlayer()
