"""The end of a JSON object is found in every way of cutting its text, and nothing else is taken for one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.models.providers.json_object import JsonObjectScanner, read_object

_scalars = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)
_texts = st.text(max_size=12) | st.sampled_from(['"', "\\", '\\"', "{", "}}", "[", '{"a": 1}', "\\\\", "\u2028", "é😀"])
_values = st.recursive(
    _scalars | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=12,
)
_objects = st.dictionaries(_texts, _values, max_size=4)
_styles = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])


@st.composite
def cut_texts(draw: st.DrawFn, text: str) -> list[str]:
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=10)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


@given(_objects, _styles, st.data())
def test_the_end_is_found_with_the_last_bracket_and_never_before(value: Any, style: Any, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(["", " ", "\n\t"])) + json.dumps(value, **style)
    scanner, fed = JsonObjectScanner(), ""
    for piece in data.draw(cut_texts(text)):
        completed = scanner.feed(piece)
        assert completed == (not fed.endswith(text) and len(fed) < len(text) <= len(fed) + len(piece))
        fed += piece
    assert scanner.complete
    assert scanner.text == text
    assert read_object(scanner.text) == value


@given(_objects, st.data())
def test_what_comes_behind_the_end_changes_nothing_about_it(value: Any, data: st.DataObject) -> None:
    text, more = json.dumps(value), data.draw(st.text(max_size=5))
    scanner = JsonObjectScanner()
    assert [scanner.feed(each) for each in (text, more, "}")] == [True, False, False]


@given(_objects.filter(bool), st.data())
def test_a_beginning_is_never_complete(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    scanner = JsonObjectScanner()
    for piece in data.draw(cut_texts(cut)):
        assert not scanner.feed(piece)
    if cut:
        with pytest.raises(ValueError, match=r"."):
            read_object(cut)


@given(st.lists(st.text(alphabet='{}[]"\\a: ,', max_size=6), max_size=12))
def test_any_text_is_followed_without_an_error_and_only_once_complete(pieces: list[str]) -> None:
    scanner = JsonObjectScanner()
    assert sum(map(scanner.feed, pieces)) == scanner.complete
    assert scanner.text == "".join(pieces)
    try:
        json.loads(scanner.text or "0")
    except ValueError:
        return
    assert scanner.complete == scanner.text.strip().startswith("{")


@pytest.mark.parametrize("pieces", [["[", "{}]"], ['"', '{}"'], ["x", "{}"], ["1"], ["nul", "l{}"]])
def test_what_does_not_begin_as_an_object_never_becomes_one(pieces: list[str]) -> None:
    scanner = JsonObjectScanner()
    assert not any(map(scanner.feed, pieces))


@pytest.mark.parametrize(
    ("text", "value"),
    [("", {}), (" \n", {}), ('{"a":1}', {"a": 1}), (json.dumps('{"a": "x"}'), {"a": "x"}), (json.dumps(" {}"), {})],
)
def test_nothing_is_an_empty_object_and_what_was_encoded_twice_is_decoded_twice(text: str, value: Any) -> None:
    assert read_object(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "an array"),
        ('"hello"', "a text"),
        ("3", "a number"),
        ("null", "null"),
        ("true", "a boolean"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1,}', "property name"),
        ('{"a": 1} {"b": 2}', "Extra data"),
        ('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", "deep"),
    ],
)
def test_anything_else_is_told(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_object(text)


def test_a_long_text_in_small_pieces_is_read_once() -> None:
    """A megabyte in pieces of ten characters: each character is looked at once, and the text joined once."""
    import time

    text = json.dumps({"content": 'line "quoted" {braces}\n' * 40_000})
    scanner, began = JsonObjectScanner(), time.perf_counter()
    for at in range(0, len(text), 10):
        scanner.feed(text[at : at + 10])
    assert scanner.complete
    assert time.perf_counter() - began < 5
