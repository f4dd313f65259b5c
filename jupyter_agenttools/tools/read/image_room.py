"""How big may the images of one result be, when several have to share what a reading may cost?"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...media.images import Room
from ...media.limits import PIXELS_PER_TOKEN, SHOWN_BYTES, THUMBNAIL_BYTES

MAX_PIXELS = 1_600_000
"""Of one among several images. Providers scale what is bigger down to about 1.15 megapixels."""

TOTAL_BYTES = 6_000_000
"""All images of one result together: a whole request may have 32 MB, and every turn sends them again."""

MAX_THUMBNAILS = 6
"""More are not shown to a person; they would become too small to tell anything."""


class SharedRoom(NamedTuple):
    """Room for the first ``count`` images, each as :meth:`of` says."""

    count: int
    room: Room

    def of(self, position: int) -> Room:
        """The room of the image at that position, from 0."""
        return self.room if position < MAX_THUMBNAILS else replace(self.room, thumbnail_bytes=0)


def shared_room(wanted: int, tokens: int, min_pixels: int) -> SharedRoom:
    """How many of the images fit into so many tokens, and how big each of them may be.

    Args:
        wanted: how many images there are.
        min_pixels: an image that had to be smaller would not be worth showing.
    """
    pixels = max(tokens, 0) * PIXELS_PER_TOKEN
    count = min(wanted, pixels // min_pixels)
    if not count:
        return SharedRoom(0, Room())
    room = Room(
        pixels=min(MAX_PIXELS, pixels // count),
        max_bytes=min(SHOWN_BYTES, TOTAL_BYTES // count),
        thumbnail_bytes=THUMBNAIL_BYTES // min(count, MAX_THUMBNAILS),
    )
    return SharedRoom(count, room)
