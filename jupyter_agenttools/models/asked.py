"""What a model was asked, in a form that is the same in every run: the parts of a request that a recording compares."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.blocks import Message, ToolUse, to_json
from ..core.context import ToolOptions
from ..core.secrets import redact, redact_json
from ..core.sequences import same_beginning
from ..core.texts import visible
from ..core.tool import Tool
from .folders import Folders, map_texts
from .protocol import ModelRequest

PARTS = ("system", "tools", "options", "messages")

_LIKE_AN_ID = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,9}_[A-Za-z0-9_-]{6,}")


@dataclass(frozen=True)
class Asked:
    """A request without what differs from run to run.

    Secrets are out of it, folders have their names, an image is the hash of its bytes, and the ids of calls are
    numbered as they come: two requests that mean the same are equal.

    Args:
        system: the system prompt.
        tools: name, description and schema of each.
        options: limits and the schema of the answer.
        messages: the conversation.
        fingerprints: a short hash of each part.
    """

    system: str
    tools: list[Any]
    options: dict[str, Any]
    messages: list[Any]
    fingerprints: Mapping[str, str]


def fingerprint(value: Any) -> str:
    """16 hex digits of the SHA-256 of JSON data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


class Chain:
    """The fingerprints of the beginnings of a conversation: one for each message, of all up to it.

    A conversation that grows by a message costs that message, however long it is.
    """

    def __init__(self) -> None:
        self._links: list[str] = []

    def __len__(self) -> int:
        return len(self._links)

    def keep(self, count: int) -> None:
        """Go back to the first ``count`` messages."""
        del self._links[count:]

    def add(self, messages: Sequence[Any]) -> None:
        for message in messages:
            self._links.append(fingerprint([self.end, message]))

    @property
    def end(self) -> str:
        """The fingerprint of the whole conversation."""
        return self._links[-1] if self._links else fingerprint([])


class AskedReader:
    """Brings the requests of one model into their comparable form; of a conversation that goes on only what is new."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._messages: Sequence[Message] = ()
        self._plain: list[Any] = []
        self._chain = Chain()
        self._ids: dict[str, str] = {}
        self._ids_after: list[int] = []
        self._tools: dict[Tool, Any] = {}

    def read(self, request: ModelRequest) -> Asked:
        """The comparable form of ``request``."""
        self._read_messages(request.messages)
        system = self._data(request.system)
        tools = [self._tool(tool) for tool in request.tools]
        options = self._data(
            {
                "max_tokens": request.max_tokens,
                "thinking": request.thinking,
                "output_schema": to_json(request.output_schema),
            }
        )
        prints = {"system": fingerprint(system), "tools": fingerprint(tools), "options": fingerprint(options)}
        return Asked(system, tools, options, self._plain[:], {**prints, "messages": self._chain.end})

    def _read_messages(self, messages: Sequence[Message]) -> None:
        known = same_beginning(self._messages, messages)
        del self._plain[known:], self._ids_after[known:]
        self._chain.keep(known)
        for id in list(self._ids)[self._ids_after[-1] if known else 0 :]:
            del self._ids[id]
        for message in messages[known:]:
            for use in (block for block in message.content if isinstance(block, ToolUse)):
                self._ids.setdefault(use.id, f"call-{len(self._ids) + 1}")
            self._ids_after.append(len(self._ids))
            self._plain.append(self._data(to_json(message)))
        self._chain.add(self._plain[known:])
        self._messages = messages

    def _tool(self, tool: Tool) -> Any:
        if tool not in self._tools:
            described = {"name": tool.name, "description": tool.description(None, ToolOptions())}
            self._tools[tool] = self._data({**described, "input_schema": to_json(tool.json_schema)})
        return self._tools[tool]

    def _data(self, value: Any) -> Any:
        return map_texts(redact_json(map_texts(_without_bytes(value), self._told_apart)), self._text)

    def _told_apart(self, text: str) -> str:
        """An id that holds a secret by its number: without the secret it could be the same as another one."""
        return self._ids[text] if text in self._ids and redact(text) != text else text

    def _text(self, text: str) -> str:
        named = self._ids.get(text)
        if named is not None:
            return named
        return visible(self._folders.name(_LIKE_AN_ID.sub(lambda found: self._ids.get(found[0], found[0]), text)))


def _without_bytes(value: Any) -> Any:
    """JSON data without the bytes of images and the signatures of thoughts."""
    if isinstance(value, Mapping):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            digest = hashlib.sha256(value["data"].encode()).hexdigest()[:16]
            return {**value, "type": "sha256", "data": digest}
        return {
            key: _without_bytes(item)
            for key, item in value.items()
            if not (key == "signature" and value.get("type") == "thinking")
        }
    return [_without_bytes(item) for item in value] if isinstance(value, (list, tuple)) else value
