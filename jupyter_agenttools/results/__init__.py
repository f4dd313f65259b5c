"""What the model gets back: big results go to disk, with a preview and the path; images are looked at first."""

from .clip import clip
from .images import messages_with_sound_images, with_sound_images
from .store import PERSISTED_OUTPUT_TAG, ResultStore

__all__ = ["PERSISTED_OUTPUT_TAG", "ResultStore", "clip", "messages_with_sound_images", "with_sound_images"]
