"""Characters that pass for others are shown for what they are; honest words in other scripts stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.render.chars import unseen, visible
from jupyter_agenttools.render.lookalikes import like_ascii, look_alikes, name_of, spelled


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("curl p\u0430ypal.com", "curl p‹\u0430 U+0430›ypal.com"),
        ("\u0455udo", "‹\u0455 U+0455›udo"),
        ("exam\u2215ple", "exam‹\u2215 U+2215›ple"),
        ("r\uff4d -rf", "r‹\uff4d U+FF4D› -rf"),
        ("a\U0001d41bc", "a‹\U0001d41b U+1D41B›c"),
    ],
)
def test_a_stranger_in_a_latin_word_is_named(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text", ["Привет, мир", "HTTP-сервер", "x² in µm", "naïve Übung", "日本語abc", "αβγ", "π_r", "Δx", "５ ｍ"]
)
def test_honest_texts_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_naming_them_once_more_changes_nothing(text: str) -> None:
    once = visible(text)
    assert visible(once) == once


@given(st.text())
def test_every_place_that_is_told_holds_that_character(text: str) -> None:
    for found in look_alikes(text):
        assert text[found.at] == found.char and not found.char.isascii() and found.like


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_never_touched(text: str) -> None:
    assert spelled(text) == text and not list(look_alikes(text))


def test_blanks_and_whole_words_are_told_although_they_are_shown_as_they_are() -> None:
    assert [found.like for found in look_alikes("rm\u00a0x")] == ["a blank"]
    assert "".join(found.like for found in look_alikes("\u0440\u0430\u0443\u0440\u0430\u04cf")) == "paypal"[:5] + "l"


def test_names() -> None:
    assert name_of("\u0430") == "U+0430 CYRILLIC SMALL LETTER A" and name_of("\ue000").startswith("U+E000")
    assert like_ascii("é") == "" and like_ascii("²") == "" and like_ascii("ｋ") == "k"
    assert unseen("a\u202eb\u202e\r\nc\x00") == ("\u202e", "\x00")
