"""From the name of a provider and of a model to a model that can be asked, or to what a person has to do first."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from urllib.parse import urlsplit

from ...core.errors import UsageError
from ...core.secrets import know_secrets
from .connection import Connection
from .model import ProviderModel
from .table import OTHER_SERVER_KEY, PROVIDERS, ProviderKind

DISTRIBUTION = "jupyter_agenttools"


def make_provider_model(provider: str, name: str, *, env: Mapping[str, str]) -> ProviderModel:
    """The model ``name`` of ``provider``. Loads nothing yet, and asks nobody.

    Args:
        provider: see :data:`PROVIDERS`.
        name: as the provider calls it; ``NAME@http://…`` asks another server that speaks the same.
        env: where keys and addresses are read from.

    Raises:
        UsageError: no such provider; the extra, the key or the address is missing (says which).
    """
    kind = PROVIDERS.get(provider)
    if kind is None:
        raise UsageError(f"there is no provider `{provider}`; there are: {', '.join(sorted(PROVIDERS))}")
    model_name, _, server = name.partition("@http")
    if not model_name:
        raise UsageError(f"{provider}: which model? e.g. `{provider}:NAME`")
    connection = _other_server(kind, model_name, f"http{server}", env) if server else _own_server(kind, env)
    _check_installed(kind)
    know_secrets({connection.variable: connection.key})
    return ProviderModel(kind, model_name, connection)


def _own_server(kind: ProviderKind, env: Mapping[str, str]) -> Connection:
    variable = next((each for each in kind.keys if env.get(each)), "")
    url = (env.get(kind.url, "") if kind.url else "") or kind.default_url
    if kind.needs_key and not variable and not (url and kind.other_servers):
        raise UsageError(f"{kind.name}: no key. Set the environment variable {' or '.join(kind.keys)}.")
    if kind.needs_url and not url:
        raise UsageError(f"{kind.name}: no address. Set the environment variable {kind.url}.")
    options = tuple((argument, value) for argument, name in kind.variables.items() if (value := env.get(name)))
    is_own = not (url and kind.url == "OPENAI_BASE_URL") or _is_openai(url)
    return Connection(env.get(variable, ""), variable or next(iter(kind.keys), ""), url, options, is_own)


def _is_openai(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "openai.com" or host.endswith(".openai.com")


def _other_server(kind: ProviderKind, model_name: str, url: str, env: Mapping[str, str]) -> Connection:
    if not kind.other_servers:
        able = ", ".join(sorted(name for name, each in PROVIDERS.items() if each.other_servers))
        raise UsageError(f"{kind.name}:{model_name} cannot be asked at another address; that is for {able}")
    try:
        address = urlsplit(url)
        usable = bool(address.hostname) and address.password is None and address.username is None
    except ValueError:
        usable = False
    if not usable:
        wanted = f"an address such as http://127.0.0.1:8080/v1, with the key, if any, in {OTHER_SERVER_KEY}"
        raise UsageError(f"{kind.name}:{model_name}@…: after the @ comes {wanted}")
    return Connection(env.get(OTHER_SERVER_KEY, ""), OTHER_SERVER_KEY, url, is_own=False)


def _check_installed(kind: ProviderKind) -> None:
    for module in ("pydantic_ai", kind.sdk):
        try:
            found = find_spec(module) is not None
        except ModuleNotFoundError:  # a parent package is missing
            found = False
        if not found:
            raise UsageError(f"{kind.name} needs what is not installed: pip install '{DISTRIBUTION}[{kind.extra}]'")
