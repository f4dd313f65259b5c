"""Telling a person that the transcript is not whole."""

from __future__ import annotations

from .note import note_bundle
from .output import show


class TranscriptNotes:
    """An observer of the kernel's session: what could not be written down is told below the cell that runs."""

    def on_transcript_fault(self, text: str) -> None:
        show(note_bundle(f"⚠ {text}"))
