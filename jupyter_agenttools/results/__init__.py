"""What the model gets back: big results go to disk, with a preview and the path."""

from .clip import clip
from .store import PERSISTED_OUTPUT_TAG, ResultStore

__all__ = ["PERSISTED_OUTPUT_TAG", "ResultStore", "clip"]
