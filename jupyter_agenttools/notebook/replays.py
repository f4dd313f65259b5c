"""The recordings that cells play: several cells may play one conversation, each its part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..core.blocks import Message

if TYPE_CHECKING:
    from ..models import RecordedModel


class Replays:
    """What has been played of each recording in the conversation that goes on."""

    def __init__(self) -> None:
        self._models: dict[Path, RecordedModel] = {}

    def model(self, path: Path, cwd: str, messages: tuple[Message, ...]) -> RecordedModel:
        """A model that plays the recording: from its beginning in an empty conversation, else from where the last cell
        that played it stopped.

        Raises:
            UsageError: it cannot be read.
        """
        from ..models import RecordedModel

        model = self._models.get(path)
        if model is None or not messages or not model.exchanges_left:
            model = self._models[path] = RecordedModel.replay(path, cwd=cwd)
        return model
