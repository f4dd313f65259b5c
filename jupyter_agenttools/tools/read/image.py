"""Reading an image file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...core.errors import ToolValidationError
from ...files.opening import OpenFile, content_hash, read_descriptor
from ...files.state import FileView
from ...media.images import Room, show_image
from ...media.kinds import ImageFormat
from ...media.process import MediaProblem, MediaProcess
from .output import FileUnchanged, ImageRead
from .seen import note_shown, was_shown

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_IMAGE_BYTES = 256 << 20
ADVICE = {
    "image-too-many-pixels": "Make a smaller copy with Bash, with a program that can cut or scale it while it reads",
    "image-unsupported": "Make a copy in another format with Bash",
    "image-damaged": "Get a fresh copy; what is in it can be looked at with Bash (file, xxd)",
    "pdf-password": "Ask the person for a copy without it; Bash can make one when the password is known "
    "(qpdf --password=… --decrypt)",
    "pdf-damaged": "A repair can be tried with Bash (qpdf in.pdf out.pdf, mutool clean)",
    "decoder-crashed": "Get a fresh copy of the file",
    "decoder-timeout": "Read a smaller part of it, or convert it with Bash",
}
"""What to do next, by what the decoder said."""

WHOLE = FileView(1, 0, 1, 1, "")
"""An image is seen as a whole, as one unit."""


def read_image(file: OpenFile, kind: ImageFormat, context: ToolUseContext) -> ImageRead | FileUnchanged:
    """What the image in an open file shows.

    Raises:
        ToolValidationError: it is damaged, has too many pixels, or its format cannot be decoded; says which.
        InterruptedToolError: the call was stopped.
    """
    size = file.status.st_size
    if size > MAX_IMAGE_BYTES:
        message = f"{file.path}: this {kind} image has {size:,} bytes; at most {MAX_IMAGE_BYTES:,} are read"
        raise ToolValidationError(message, check_id="image-too-large")
    data = read_descriptor(file, MAX_IMAGE_BYTES)
    found = content_hash(data)
    if was_shown(file.path, found, (WHOLE,), context):
        return FileUnchanged(file.path)
    try:
        with MediaProcess(context.cancellation) as process:
            image = show_image(process, data, Room())
    except MediaProblem as problem:
        raise unreadable_media(file.path, problem) from problem
    note_shown(file.path, found, 1, (replace(WHOLE, tool_use_id=context.tool_use_id),), context)
    return ImageRead(file.path, image, len(data))


def unreadable_media(path: str, problem: MediaProblem) -> ToolValidationError:
    """The refusal that fits what the decoder said."""
    advice = ADVICE.get(problem.code, "")
    return ToolValidationError(f"{path}: {problem.message}{advice and f'. {advice}'}", check_id=problem.code)
