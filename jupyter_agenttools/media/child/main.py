"""The loop of the process that decodes: one request in, one answer out, until nobody asks any more."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from ..frames import Frame, packed, unpacked
from ..limits import CPU_SECONDS, MEMORY_BYTES
from .refusal import Refusal

if TYPE_CHECKING:
    from PIL.Image import Image

    from .encode import Encoded
    from .pages import Document

Answer = tuple[dict[str, Any], list[bytes]]
MAX_SAID_CHARS = 300
ANY_SIDE = 1 << 20


def main() -> None:
    """Answer what comes on standard input, on standard output."""
    _bound_resources()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    worker = Worker()
    while (frame := unpacked(requests.read)) is not None:
        _write(answers, *worker.answer(frame))


def _write(answers: BinaryIO, header: dict[str, Any], payloads: list[bytes]) -> None:
    for piece in packed(header, payloads):
        answers.write(piece)
    answers.flush()


def _bound_resources() -> None:
    """Keep a hostile file from taking the machine, and be the first to go when memory runs out."""
    for kind, bound in (("RLIMIT_AS", MEMORY_BYTES), ("RLIMIT_CPU", CPU_SECONDS), ("RLIMIT_CORE", 0)):
        try:
            resource.setrlimit(getattr(resource, kind), (bound, bound))
        except (OSError, ValueError, AttributeError):  # a system without this bound, or with a lower one
            continue
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        return


class Worker:
    """Answers requests by their ``do``."""

    def __init__(self) -> None:
        self._document: Document | None = None
        self._known: dict[str, Callable[[Frame], Answer]] = {
            "image": self._image,
            "check": self._check,
            "open": self._open,
            "text": self._text,
            "page": self._page,
        }

    def answer(self, frame: Frame) -> Answer:
        try:
            return self._known[frame.header["do"]](frame)
        except Refusal as refusal:
            return _problem(refusal.code, refusal.message)
        except MemoryError:
            return _problem("out-of-memory", "it takes too much memory to decode")
        except Exception as error:
            return _problem("undecodable", f"it cannot be decoded: {type(error).__name__}: {error}")

    def _image(self, frame: Frame) -> Answer:
        from . import decode, encode

        asked = frame.header
        found = decode.decode(frame.payloads[0], asked["side"])
        size = encode.fitted(found.width, found.height, asked["side"], asked["pixels"])
        image = encode.scaled(found.image, *size)
        original = found.as_in_file
        untouched = original if original is image and original.format == "JPEG" else None
        shown = encode.encoded(image, asked["max_bytes"], untouched)
        about = {
            "format": found.format,
            "original": [found.width, found.height],
            "frames": found.frames,
            "notes": found.notes,
        }
        return _shown(shown, image, asked, about)

    def _check(self, frame: Frame) -> Answer:
        """Decode an image to its end and say what it is."""
        from . import decode

        data = frame.payloads[0]
        found = decode.decode(data, ANY_SIDE)
        return {"size": [found.width, found.height], "intact": decode.is_intact(data, found.format)}, []

    def _open(self, frame: Frame) -> Answer:
        from .pages import Document

        self._document = Document(frame.header["descriptor"])
        return self._document.describe(), []

    def _text(self, frame: Frame) -> Answer:
        assert self._document is not None
        return self._document.text(frame.header["page"]), []

    def _page(self, frame: Frame) -> Answer:
        from . import encode

        assert self._document is not None
        asked = frame.header
        image = self._document.picture(asked["page"], asked["side"], asked["pixels"])
        if all(low == high for low, high in image.getextrema()):
            return {"blank": True}, []
        return _shown(encode.encoded(image, asked["max_bytes"]), image, asked, {"original": list(image.size)})


def _problem(code: str, message: str) -> Answer:
    return {"code": code, "problem": message[:MAX_SAID_CHARS]}, []


def _shown(shown: Encoded, image: Image, asked: dict[str, Any], about: dict[str, Any]) -> Answer:
    """The answer with an image and, where one is wanted and fits, its thumbnail."""
    from . import encode

    small = encode.thumbnail(image, asked["thumbnail_side"], asked["thumbnail_bytes"])
    header = {**about, "media_type": shown.media_type, "width": shown.width, "height": shown.height}
    if small is None:
        return header, [shown.data]
    return {**header, "thumbnail_type": small.media_type}, [shown.data, small.data]
