"""What the model gets back: big results go to disk, with a preview and the path; images are looked at first."""

from .budget import ContentReplacementState, ResultBudget, apply_tool_result_budget, result_budget
from .clip import clip
from .images import messages_with_sound_images, with_sound_images
from .store import PERSISTED_OUTPUT_TAG, KeptResult, ResultStore

__all__ = [
    "PERSISTED_OUTPUT_TAG",
    "ContentReplacementState",
    "KeptResult",
    "ResultBudget",
    "ResultStore",
    "apply_tool_result_budget",
    "clip",
    "messages_with_sound_images",
    "result_budget",
    "with_sound_images",
]
