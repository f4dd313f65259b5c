"""Notebooks as they are found: every format 4, written in every way that JSON allows, tidy or not."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from hypothesis import strategies as st

SURROGATE = re.compile("[\ud800-\udfff]")
ESCAPE = re.compile(r"(?:\\\\)*\\u[0-9a-f]{4}")

letters = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from('\n\n\n\r\t"\\/\x1b\x00\u2028é数\U0001f600 ab=#'),
)
texts = st.text(letters, max_size=30)
"""Text that can be given as a new source."""

stored_texts = st.text(st.one_of(letters, st.sampled_from("\ud83d\udc00")), max_size=30)
"""Text that may be in a file, halves of characters among it."""

json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-9, 10**20),
        st.floats(allow_nan=False),
        stored_texts,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(stored_texts, inner, max_size=3)),
    max_leaves=8,
)


class Writing(NamedTuple):
    """How a notebook is written."""

    indent: int | str | None
    tight: bool
    ascii_only: bool
    upper: bool
    slashes: bool
    newline: str
    final_newline: bool
    mark: bool

    def written(self, content: Any) -> bytes:
        separators = (",", ":") if self.tight else None
        text = json.dumps(content, indent=self.indent, ensure_ascii=self.ascii_only, separators=separators)
        if self.upper:
            text = ESCAPE.sub(lambda found: found[0][:-4] + found[0][-4:].upper(), text)
        text = SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        if self.slashes:
            text = text.replace("/", "\\/")
        text = text.replace("\n", self.newline) + (self.newline if self.final_newline else "")
        return (b"\xef\xbb\xbf" if self.mark else b"") + text.encode()


writings = st.builds(
    Writing,
    st.sampled_from([1, 1, 2, 4, 0, "\t", None]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)


def as_source(text: str, form: str) -> Any:
    if form == "string":
        return text
    if form == "chunks":
        return [text[i : i + 7] for i in range(0, len(text), 7)]
    return re.findall(r"[^\n]*\n|[^\n]+", text)


outputs = st.one_of(
    st.builds(
        lambda text, name: {"name": name, "output_type": "stream", "text": text},
        stored_texts,
        st.sampled_from(["stdout", "stderr"]),
    ),
    st.builds(
        lambda bundle: {"data": bundle, "metadata": {}, "output_type": "display_data"},
        st.dictionaries(st.sampled_from(["text/plain", "image/png", "application/json"]), stored_texts, max_size=2),
    ),
)

metadata = st.one_of(
    st.just({}),
    st.dictionaries(st.sampled_from(["tags", "id", "editable", "jupyter", "é/\u2028"]), json_values, max_size=3),
    st.builds(lambda name: {"id": name, "outputId": name}, st.sampled_from(["kX3", "kX4", "mid"])),
)


@st.composite
def cells(draw: st.DrawFn, cell_id: str | None) -> dict[str, Any]:
    kind = draw(st.sampled_from(["code", "code", "markdown", "raw"]))
    source = as_source(draw(stored_texts), draw(st.sampled_from(["list", "list", "string", "chunks"])))
    cell: dict[str, Any] = {"cell_type": kind, "metadata": draw(metadata), "source": source}
    if cell_id is not None:
        cell["id"] = cell_id
    if kind == "code":
        cell["execution_count"] = draw(st.one_of(st.none(), st.integers(0, 99)))
        cell["outputs"] = draw(st.lists(outputs, max_size=2))
    elif draw(st.booleans()):
        cell["attachments"] = {"a.png": {"image/png": "aGk="}}
    if draw(st.integers(0, 9)) == 0:
        cell["surprise"] = draw(json_values)
    return {key: cell[key] for key in draw(st.permutations(list(cell)))}


@st.composite
def notebooks(draw: st.DrawFn) -> tuple[dict[str, Any], bytes]:
    """A notebook and the bytes that it is written as."""
    minor = draw(st.integers(0, 5))
    names = draw(st.lists(ids(minor), max_size=5))
    content: dict[str, Any] = {
        "cells": [draw(cells(name)) for name in names],
        "metadata": draw(st.one_of(st.just({}), st.dictionaries(stored_texts, json_values, max_size=3))),
        "nbformat": 4,
        "nbformat_minor": minor,
    }
    if draw(st.booleans()):
        content["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": draw(json_values)}}
    if draw(st.integers(0, 9)) == 0:
        content["surprise"] = draw(json_values)
    content = {key: content[key] for key in draw(st.permutations(list(content)))}
    return content, draw(writings).written(content)


def ids(minor: int) -> st.SearchStrategy[str | None]:
    """Ids as they should be, missing ones, and some that are there twice or look like a position."""
    proper = st.uuids().map(lambda made: made.hex[:8])
    if minor < 5:
        return st.one_of(st.none(), st.none(), st.none(), proper)
    return st.one_of(proper, proper, proper, st.none(), st.sampled_from(["twice", "cell-1", "new-1", "mid", "é\n"]))
