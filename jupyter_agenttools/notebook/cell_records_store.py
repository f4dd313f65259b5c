"""The records of cells on this machine, beside the transcripts: a notebook may not have been saved since a turn ran."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.blocks import ImageBlock, Message, TextBlock, ToolResultBlock, to_json
from ..core.secret_blocks import redact_message
from ..session.paths import sessions_folder
from .cell_records import Bundle, CellRecord, record_of
from .cell_records_place import CellPlace

FOLDER = "cells"
MOST_BYTES = 4_000_000
"""Of the messages of one turn. Longer ones are not kept: question and answer then stand for them."""


def store(folder: Path, place: CellPlace, record: CellRecord, bundle: Bundle, messages: Sequence[Message]) -> None:
    """Keep the record of a cell in the folder of its session, for this user alone.

    Raises:
        OSError: the disk takes nothing.
    """
    cells = folder / FOLDER
    cells.mkdir(mode=0o700, parents=True, exist_ok=True)
    told = [redact_message(to_json(_without_images(message))) for message in messages]
    head = {"notebook": place.notebook, "cell_id": place.cell_id, "nth": place.nth, "bundle": bundle}
    text = json.dumps({**head, "messages": told if len(json.dumps(told)) <= MOST_BYTES else []})
    path = cells / f"{record.fingerprint}-{record.turn}.json"
    temporary = path.with_suffix(".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def stored_bundles(place: CellPlace, session: str) -> list[Bundle]:
    """The records of this cell for this text that the notebook's file cannot hold yet, in their bundles.

    Args:
        session: id of the session that goes on. What ran in another one counts while the notebook was not saved since:
            a notebook that was saved without a record is one whose outputs somebody took away. Where cells have no id,
            a program may run the same notebook every day, and wants it run.
    """
    found = [bundle for data in _files(place.fingerprint) if (bundle := _bundle_for(place, data)) is not None]
    return [bundle for bundle in found if _counts(bundle, place, session)]


def stored_messages(record: CellRecord) -> tuple[Any, ...]:
    """The messages of the turn that a record is of, as JSON data; none where this machine does not have them."""
    named = (record.fingerprint, record.session, record.turn)
    files = _files(*named) if all(map(_is_id, named)) else ()
    return next((tuple(data["messages"]) for data in files if isinstance(data.get("messages"), list)), ())


def _files(fingerprint: str, session: str = "*", turn: str = "*") -> Iterator[Mapping[str, Any]]:
    """What is kept for a text."""
    for path in sessions_folder().glob(f"{session}/{FOLDER}/{fingerprint}-{turn}.json"):
        with suppress(OSError, ValueError, RecursionError):
            data = json.loads(path.read_bytes())
            if isinstance(data, dict):
                yield data


def _is_id(text: str) -> bool:
    """Whether this can be a part of a name: a record may have been written by anybody."""
    return text.isascii() and text.isalnum()


def _bundle_for(place: CellPlace, data: Mapping[str, Any]) -> Bundle | None:
    here = (place.notebook, place.cell_id, place.nth)
    bundle = data.get("bundle")
    if (data.get("notebook"), data.get("cell_id"), data.get("nth")) != here or not isinstance(bundle, Mapping):
        return None
    record = record_of(bundle)
    return bundle if record is not None and record.fingerprint == place.fingerprint else None


def _counts(bundle: Bundle, place: CellPlace, session: str) -> bool:
    record = record_of(bundle)
    return record is not None and (record.session == session or bool(place.cell_id and record.at > place.saved_at))


def _without_images(message: Message) -> Message:
    """Images stand in the transcript once; a word stands for them here."""
    return Message(message.role, tuple(map(_without_image, message.content)))


def _without_image(block: Any) -> Any:
    if isinstance(block, ImageBlock):
        return TextBlock("[image]")
    if isinstance(block, ToolResultBlock) and not isinstance(block.content, str):
        return ToolResultBlock(block.tool_use_id, block.text, block.is_error)
    return block
