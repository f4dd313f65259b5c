"""What a page says of itself and of a person's wishes, read and checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

Version = Annotated[int, Field(strict=True, ge=1, le=1)]
"""Strict: ``true`` is no version."""

FilePath = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""No system call takes a path with a NUL: everything that looks for open notebooks would fail by it."""


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True)

    v: Version
    client: str = Field(min_length=1, max_length=200)


class OpenDocument(BaseModel):
    """A notebook that is open in a page; see the front end's own description."""

    model_config = ConfigDict(frozen=True)

    path: FilePath
    dirty: bool
    kernel: str | None
    shared: bool
    current: bool


class Hello(_Message):
    type: Literal["hello"]
    since: float
    server_root: FilePath = Field(alias="serverRoot")
    own: FilePath | None
    visible: bool
    documents: tuple[OpenDocument, ...]


class Answer(_Message):
    type: Literal["answer"]
    question: str
    behavior: Literal["allow", "deny"]
    message: str = ""


class Command(_Message):
    """With an ``id`` the page that wants it is told what came of it, as of something that it asked for."""

    type: Literal["command"]
    name: str
    args: dict[str, Any] = {}
    id: str = Field("", max_length=200)


class Ask(_Message):
    type: Literal["ask"]
    id: str
    name: str
    args: dict[str, Any] = {}


class _Asked(BaseModel):
    """What a report needs to know. What it does not know is refused: the page is of another release."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AskNothing(_Asked):
    """For the reports that are always the same."""


class _Searched(_Asked):
    query: str = Field("", max_length=1_000)
    limit: int = Field(50, ge=1, le=100_000)


class AskHistory(_Searched):
    """``session``: an id, ``""`` for the one of the kernel."""

    session: str = ""
    order: Literal["latest", "first"] = "latest"


class AskEntry(_Asked):
    """``start``: from which character on."""

    session: str = ""
    ref: str
    query: str = Field("", max_length=1_000)
    start: int = Field(0, ge=0)


class AskSessions(_Searched):
    """``everywhere``: also those that began in other folders."""

    everywhere: bool = False


FromPage = Hello | Answer | Command | Ask

_ADAPTER: TypeAdapter[FromPage] = TypeAdapter(Annotated[FromPage, Field(discriminator="type")])


def read_message(data: Any) -> FromPage | None:
    """What a page said; ``None`` for what this version does not know."""
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError:
        return None
