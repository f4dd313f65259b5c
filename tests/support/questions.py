"""How far a question of the gate is in a page with the extension."""

from __future__ import annotations

from .browser import LabPage


def waiting(lab: LabPage, there: bool = True) -> None:
    """Wait until something waits for the person, or nothing does."""
    lab.page.wait_for_selector("body.jp-mod-agentWaiting", state="attached" if there else "detached")


def may_allow(lab: LabPage) -> None:
    """The question has been there for so long that it can be allowed."""
    lab.page.wait_for_selector("body.jp-mod-agentMayAllow", state="attached")
