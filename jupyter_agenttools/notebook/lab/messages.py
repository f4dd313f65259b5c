"""What a page says of itself and of a person's wishes, read and checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True)

    v: Literal[1]
    client: str = Field(min_length=1, max_length=200)


class OpenDocument(BaseModel):
    """A notebook that is open in a page; see the front end's own description."""

    model_config = ConfigDict(frozen=True)

    path: str
    dirty: bool
    kernel: str | None
    shared: bool
    current: bool


class Hello(_Message):
    type: Literal["hello"]
    since: float
    server_root: str = Field(alias="serverRoot")
    own: str | None
    visible: bool
    documents: tuple[OpenDocument, ...]


class Answer(_Message):
    type: Literal["answer"]
    question: str
    behavior: Literal["allow", "deny"]
    message: str = ""


class Command(_Message):
    type: Literal["command"]
    name: str
    args: dict[str, Any] = {}


class Ask(_Message):
    type: Literal["ask"]
    id: str
    name: str


FromPage = Hello | Answer | Command | Ask

_ADAPTER: TypeAdapter[FromPage] = TypeAdapter(Annotated[FromPage, Field(discriminator="type")])


def read_message(data: Any) -> FromPage | None:
    """What a page said; ``None`` for what this version does not know."""
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError:
        return None
