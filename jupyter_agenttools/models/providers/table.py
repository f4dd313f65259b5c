"""Which providers there are, and what each needs: a package, a key, an address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class ProviderKind:
    """One provider.

    Args:
        name: what stands before the colon of a model's name; pydantic-ai's own name of it.
        extra: the extra of this package that installs what it needs.
        sdk: the module that must be importable.
        keys: the environment variables that may hold its key, the first that is set counts.
        needs_key: whether it cannot be asked without one of them.
        url: the environment variable that may hold its address, ``""`` when that is fixed.
        url_argument: how the provider's class calls the address.
        default_url: the address where none is set and the provider's class has none of its own.
        needs_url: whether there is no address of its own.
        variables: further environment variables, by the argument of the provider's class that takes them.
        other_servers: whether ``NAME@http://…`` may name another server that speaks the same.
    """

    name: str
    extra: str = "openai"
    sdk: str = "openai"
    keys: tuple[str, ...] = ()
    needs_key: bool = True
    url: str = ""
    url_argument: str = "base_url"
    default_url: str = ""
    needs_url: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    other_servers: bool = False


_AWS = {
    "region_name": "AWS_DEFAULT_REGION",
    "aws_access_key_id": "AWS_ACCESS_KEY_ID",
    "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY",
    "aws_session_token": "AWS_SESSION_TOKEN",
    "profile_name": "AWS_PROFILE",
}
_OPENAI = {"keys": ("OPENAI_API_KEY",), "url": "OPENAI_BASE_URL", "other_servers": True}


def _kinds() -> Iterator[ProviderKind]:
    kind = ProviderKind
    yield kind("anthropic", "anthropic", "anthropic", ("ANTHROPIC_API_KEY",), url="ANTHROPIC_BASE_URL")
    yield kind("openai", **_OPENAI)
    yield kind("openai-chat", **_OPENAI)
    yield kind("openai-responses", **_OPENAI)
    yield kind("google", "google", "google.genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), url="GOOGLE_GEMINI_BASE_URL")
    yield kind(
        "google-cloud", "google", "google.genai", ("GOOGLE_API_KEY",), needs_key=False,
        variables={"project": "GOOGLE_CLOUD_PROJECT", "location": "GOOGLE_CLOUD_LOCATION"},
    )  # fmt: skip
    yield kind(
        "ollama", "ollama", "openai", ("OLLAMA_API_KEY",), needs_key=False, url="OLLAMA_BASE_URL",
        default_url="http://127.0.0.1:11434/v1", other_servers=True,
    )  # fmt: skip
    yield kind("groq", "groq", "groq", ("GROQ_API_KEY",), url="GROQ_BASE_URL")
    yield kind("mistral", "mistral", "mistralai", ("MISTRAL_API_KEY",))
    yield kind("bedrock", "bedrock", "boto3", ("AWS_BEARER_TOKEN_BEDROCK",), needs_key=False, variables=_AWS)
    yield kind("cohere", "cohere", "cohere", ("CO_API_KEY",))
    yield kind(
        "huggingface", "huggingface", "huggingface_hub", ("HF_TOKEN",), default_url="https://router.huggingface.co/v1"
    )
    yield kind("xai", "xai", "xai_sdk", ("XAI_API_KEY",))
    yield kind("openrouter", "openrouter", keys=("OPENROUTER_API_KEY",))
    yield kind(
        "azure", keys=("AZURE_OPENAI_API_KEY",), url="AZURE_OPENAI_ENDPOINT", url_argument="azure_endpoint",
        needs_url=True, variables={"api_version": "OPENAI_API_VERSION"},
    )  # fmt: skip
    yield kind("alibaba", keys=("ALIBABA_API_KEY", "DASHSCOPE_API_KEY"))
    yield kind("cerebras", keys=("CEREBRAS_API_KEY",))
    yield kind("deepseek", keys=("DEEPSEEK_API_KEY",))
    yield kind("fireworks", keys=("FIREWORKS_API_KEY",))
    yield kind("heroku", keys=("HEROKU_INFERENCE_KEY",), url="HEROKU_INFERENCE_URL")
    yield kind("moonshotai", keys=("MOONSHOTAI_API_KEY",), url="MOONSHOTAI_BASE_URL")
    yield kind("nebius", keys=("NEBIUS_API_KEY",))
    yield kind("ovhcloud", keys=("OVHCLOUD_API_KEY",))
    yield kind("sambanova", keys=("SAMBANOVA_API_KEY",), url="SAMBANOVA_BASE_URL")
    yield kind("together", keys=("TOGETHER_API_KEY",))
    yield kind("vercel", keys=("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"))
    yield kind("zai", keys=("ZAI_API_KEY",))
    yield kind("vllm", keys=("VLLM_API_KEY",), needs_key=False, url="VLLM_BASE_URL", needs_url=True, other_servers=True)


PROVIDERS: Mapping[str, ProviderKind] = MappingProxyType({each.name: each for each in _kinds()})
"""Every provider by its name."""

OTHER_SERVER_KEY = "OPENAI_COMPATIBLE_API_KEY"
"""The variable with the key for a server that is named in the model's own name. The provider's key never goes there."""
