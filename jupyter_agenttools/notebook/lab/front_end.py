"""The JupyterLab extension as the kernel sees it: its pages, and the notebooks that are open there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .channel import LabChannel
from .pages import Pages

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .documents import LabDocuments


class LabFrontEnd:
    """There from ``%load_ext`` on; it says once that it is there, and hears what pages with the extension answer.

    Args:
        kernel: an ipykernel.
    """

    def __init__(self, kernel: Any) -> None:
        self.pages = Pages()
        self._on_news: Callable[[], None] = lambda: None
        self._on_wish: Callable[[dict[str, Any]], None] = lambda message: None
        self.channel = LabChannel(kernel, self._on_message)

    def _on_message(self, message: dict[str, Any]) -> None:
        if message.get("type") in ("hello", "bye"):
            self.pages.take(message)
            self._on_news()
        else:
            self._on_wish(message)

    def serve(self, runtime: Runtime) -> None:
        """Tell the pages of the session from now on, and do what a person wants there."""
        from .state import StateTeller
        from .wishes import PageWishes

        teller = StateTeller(self, runtime)
        self._on_news, self._on_wish = teller.tell, PageWishes(self, runtime).take
        teller.start()

    def documents(self) -> LabDocuments:
        """The notebooks that are open, for the tools of a session."""
        from .documents import LabDocuments

        return LabDocuments(self.channel, self.pages)

    def close(self) -> None:
        self.channel.close()
