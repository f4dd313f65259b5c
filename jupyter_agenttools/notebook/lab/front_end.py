"""The JupyterLab extension as the kernel sees it: its pages, and the notebooks that are open there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .channel import LabChannel
from .pages import Pages

if TYPE_CHECKING:
    from .documents import LabDocuments


class LabFrontEnd:
    """There from ``%load_ext`` on; it says once that it is there, and hears what pages with the extension answer.

    Args:
        kernel: an ipykernel.
    """

    def __init__(self, kernel: Any) -> None:
        self.pages = Pages()
        self.channel = LabChannel(kernel, self.pages.take)

    def documents(self) -> LabDocuments:
        """The notebooks that are open, for the tools of a session."""
        from .documents import LabDocuments

        return LabDocuments(self.channel, self.pages)

    def close(self) -> None:
        self.channel.close()
