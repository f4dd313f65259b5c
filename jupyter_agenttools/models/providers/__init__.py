"""Live models: every provider that pydantic-ai speaks to, loaded when first used."""

from .making import make_provider_model
from .model import ProviderModel
from .table import PROVIDERS, ProviderKind

__all__ = ["PROVIDERS", "ProviderKind", "ProviderModel", "make_provider_model"]
