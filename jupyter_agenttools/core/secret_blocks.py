"""Messages without what is secret in them. Their blocks have the only two places where a text stays as it is.

These are the provider's signature of a thought, which is useless when it is changed, and the base64 text of an image.
Both count only where a message really has them: a tool's input may look like anything, and nothing in it is exempt.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from .secrets import holds_known_value, redact_json

_CHEAP_CHARS = 200_000
"""In an image of up to so many characters secret values are looked for."""


def redact_message(message: Any) -> Any:
    """The JSON data of a message, or of a line that is one, without secrets."""
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), (list, tuple)):
        return redact_json(message)
    rest = {name: value for name, value in message.items() if name != "content"}
    return {**redact_json(rest), "content": [redact_block(block) for block in message["content"]]}


def redact_block(block: Any) -> Any:
    """The JSON data of a block of a message without secrets.

    A thought that had to be changed loses its signature, which is no longer true of it.
    """
    changed = redact_json(block)
    if not isinstance(block, Mapping):
        return changed
    if block.get("type") == "thinking":
        return _with_signature(changed, block)
    if block.get("type") == "image":
        return _with_bytes(changed, block.get("source"))
    if block.get("type") == "tool_result" and isinstance(block.get("content"), (list, tuple)):
        return {**changed, "content": [redact_block(part) for part in block["content"]]}
    return changed


def _with_signature(changed: dict[str, Any], thought: Mapping[str, Any]) -> dict[str, Any]:
    signature = changed.pop("signature", None)
    if signature is None or changed.get("thinking") != thought.get("thinking"):
        return changed
    original = thought["signature"]
    if not isinstance(original, str) or holds_known_value(original):
        return changed
    return {**changed, "signature": original}


def _with_bytes(changed: dict[str, Any], source: Any) -> dict[str, Any]:
    if not isinstance(source, Mapping) or not _is_image(source):
        return changed
    data = source["data"]
    if len(data) <= _CHEAP_CHARS and holds_known_value(data):
        return changed
    return {**changed, "source": {**changed["source"], "data": data}}


def _is_image(source: Mapping[str, Any]) -> bool:
    """Whether this is what it says: an image as base64 text."""
    data, kind = source.get("data"), source.get("media_type")
    if source.get("type") != "base64" or not isinstance(data, str) or not isinstance(kind, str):
        return False
    try:
        return kind.startswith("image/") and bool(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return False
