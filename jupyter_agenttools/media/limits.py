"""How big may an image be, on its way in and on its way to a model? Used in both processes."""

from __future__ import annotations

MAX_IMAGE_PIXELS = 178_956_970
"""An image with more is refused before anything is decoded. Pillow's own bound for a decompression bomb."""

MAX_SIDE = 2_000
"""Pixels. Providers refuse an image with a side of more than 8,000, and in a conversation of more than 20 images one of
more than 2,000; with it they refuse the whole conversation."""

MAX_BASE64_CHARS = 5_000_000
"""Providers refuse an image whose base64 text is longer (5 MB)."""

SHOWN_SIDE = 1_568
"""Pixels of the longer side from which on providers scale an image down themselves."""

SHOWN_PIXELS = 1_600 * 1_568
"""Pixels of one image that is shown alone."""

SHOWN_BYTES = 1_500_000
"""What one encoded image may take; far below what providers take, as every further turn sends it again."""

PIXELS_PER_TOKEN = 750
"""Providers count about this many pixels of an image as one token."""

THUMBNAIL_SIDE = 400
"""Pixels of the longer side of what a person is shown."""

THUMBNAIL_BYTES = 15_000
"""What all thumbnails of one result may take together: they are kept in saved notebooks."""

MAX_PDF_BYTES = 1 << 30
MAX_PAGE_CHARS = 100_000
"""Characters of text that are taken from one page."""

MEMORY_BYTES = 4 << 30
"""Address space of the process that decodes, on top of the file that it maps."""

CPU_SECONDS = 300
"""After this much work the process that decodes ends, whatever became of the kernel."""
