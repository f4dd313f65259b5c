"""Variables in the place of ``{name}`` and ``$name``, only where that is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.notebook.agent_expand import MAX_VALUE_CHARS, expand

NAMESPACE: dict[str, Any] = {"path": "/tmp/$x {path}", "n": 3, "größe": 2.5, "_": None}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("look at {path}", "look at /tmp/$x {path}"),
        ("$n times $n, and {n}", "3 times 3, and 3"),
        ("{größe}$größe", "2.52.5"),
        ("$n.", "3."),
        ("{_}", "None"),
    ],
)
def test_values_stand_where_the_names_were(text: str, expanded: str) -> None:
    assert expand(text, NAMESPACE) == expanded


@pytest.mark.parametrize(
    "text",
    ['{"n": 1}', "{}", "{n!r}", "{n.real}", "{n:3}", "{ n }", "{{n}}", "$$n", "$5", "${n}", "$", "a {", "\\{1}", "%n"],
)
def test_nothing_else_is_touched(text: str) -> None:
    assert expand(text, NAMESPACE) == text


@given(st.text())
def test_a_text_without_names_stays_as_it_is(text: str) -> None:
    plain = text.replace("{", "(").replace("$", "S")
    assert expand(plain, {}) == plain


class Broken:
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{pfad}", "there is no variable 'pfad', which {pfad} asks for"),
        ("$paht", "Did you mean path?"),
        ("{broken}", "cannot be had: RuntimeError: no text"),
        ("{long}", "more than the 100,000"),
    ],
)
def test_what_cannot_be_put_in_is_an_error(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        expand(text, {**NAMESPACE, "broken": Broken(), "long": "x" * (MAX_VALUE_CHARS + 1)})
    assert message in str(caught.value) and "\n" not in str(caught.value)


class Counted:
    def __init__(self) -> None:
        self.made = 0

    def __str__(self) -> str:
        self.made += 1
        return f"text {self.made}"


def test_each_value_is_asked_for_its_text_once() -> None:
    value = Counted()
    assert expand("{v} and $v", {"v": value}) == "text 1 and text 1" and value.made == 1


class Short(str):
    def __len__(self) -> int:
        return 1

    def __str__(self) -> str:
        return self


def test_a_text_that_lies_about_its_length_is_measured() -> None:
    with pytest.raises(UsageError, match="100,001 characters"):
        expand("{v}", {"v": Short("x" * (MAX_VALUE_CHARS + 1))})
    assert type(expand("{v}", {"v": Short("x")})) is str


def test_half_a_character_is_named() -> None:
    with pytest.raises(UsageError, match=r"half of a character \(U\+D800, at 1\)"):
        expand("{v}", {"v": "a\ud800"})
