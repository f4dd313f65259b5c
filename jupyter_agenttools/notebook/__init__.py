"""The only package that knows IPython: magics, prompts, progress and records in a notebook."""

from .runtime import get_session

__all__ = ["get_session"]
