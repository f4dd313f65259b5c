"""A model that runs on this machine, without a key and without a network."""

from .model import LocalModel, make_local_model

__all__ = ["LocalModel", "make_local_model"]
