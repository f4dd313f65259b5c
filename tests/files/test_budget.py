"""How many tokens is a text, and what is said when that is too many?"""

from __future__ import annotations

import base64
import json
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.rough_tokens import rough_tokens
from jupyter_agenttools.files.budget import (
    MAX_TOKENS,
    TOKEN_LIMIT_VARIABLES,
    MaxFileReadTokenExceededError,
    Reading,
    max_read_tokens,
    require_fitting,
)

CHANCE = random.Random(7)
PROSE = "The quick reader looks at every line of the file, and then writes what was asked for. " * 40
CODE = "def total(values: list[float]) -> float:\n    return sum(value for value in values if value > 0)\n" * 40


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (PROSE, 4.0, 5.2),
        (CODE, 3.0, 4.5),
        ("\n".join(f"{CHANCE.gauss(0, 100):.4f},{CHANCE.gauss(0, 100):.4f}" for _ in range(500)), 1.4, 1.9),
        (json.dumps([{"id": n, "at": [n * 7, n * 3], "ok": True} for n in range(300)]), 1.8, 3.2),
        (base64.b64encode(CHANCE.randbytes(9_000)).decode(), 1.2, 1.8),
        (CHANCE.randbytes(5_000).hex(), 1.5, 2.2),
        ("这个工具可以读取文本文件，并且显示每一行的编号。" * 50, 2.0, 3.0),
    ],
    ids=["prose", "code", "numbers", "JSON", "base64", "hex", "Chinese"],
)
def test_bytes_per_token_are_near_what_was_measured(text: str, low: float, high: float) -> None:
    assert low < len(text.encode()) / rough_tokens(text) < high


@given(st.text(), st.text())
def test_two_texts_together_are_what_both_are(a: str, b: str) -> None:
    assert 0 <= rough_tokens(a) + rough_tokens(b) - rough_tokens(a + b) <= 1
    assert rough_tokens(a) <= len(a.encode("utf-8", "surrogatepass"))


def test_the_limit_comes_from_the_settings_then_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, field = TOKEN_LIMIT_VARIABLES
    monkeypatch.delenv(ours, raising=False)
    monkeypatch.delenv(field, raising=False)
    assert max_read_tokens({}) == MAX_TOKENS
    monkeypatch.setenv(field, "7000")
    assert max_read_tokens({}) == 7_000 and max_read_tokens({field: "8000"}) == 8_000
    assert max_read_tokens({ours: "9000"}) == 9_000
    for nonsense in ("-5", "0", "many", "1e3", " "):
        monkeypatch.setenv(field, nonsense)
        assert max_read_tokens({}) == MAX_TOKENS


class Counter:
    """Counts a fixed number of tokens for each character, and how often it was asked."""

    def __init__(self, per_char: float | None) -> None:
        self.per_char, self.asked = per_char, 0

    def __call__(self, text: str) -> int | None:
        self.asked += 1
        return None if self.per_char is None else round(len(text) * self.per_char)


def reading(units: list[str], offset: int = 1) -> Reading:
    what = f"lines {offset}-{offset + len(units) - 1}"
    return Reading("/f", what, "lines", offset, units, lambda count: "\n".join(units[:count]))


def advised(units: list[str], limit: int, count: Counter) -> int:
    with pytest.raises(MaxFileReadTokenExceededError) as refusal:
        require_fitting(reading(units, 7), limit, count)
    assert refusal.value.check_id == "read-too-many-tokens" and "Grep" in refusal.value.message
    found = re.search(r"\(offset=7, limit=(\d+)\)", refusal.value.message)
    return int(found[1]) if found else 0


def test_a_small_reading_is_never_counted() -> None:
    count = Counter(10.0)
    require_fitting(reading(["word " * 10] * 20), 2_000, count)
    assert count.asked == 0
    require_fitting(reading([]), 1, count)


def test_near_the_limit_the_count_decides() -> None:
    units = ["some words in a line"] * 100
    require_fitting(reading(units), 500, Counter(0.1))
    assert advised(units, 2_000, Counter(2.0)) < 100


def test_without_a_count_the_estimate_decides() -> None:
    units = ["some words in a line"] * 100
    with pytest.raises(MaxFileReadTokenExceededError, match=r"about \d+ tokens, more than the 500 tokens"):
        require_fitting(reading(units), 500, Counter(None))
    require_fitting(reading(units), 2_000, Counter(None))


@given(st.lists(st.text(max_size=60), min_size=5, max_size=60), st.integers(20, 300))
def test_what_is_advised_fits(units: list[str], limit: int) -> None:
    for per_char in (None, 0.3, 1.5):
        count = Counter(per_char)
        try:
            require_fitting(reading(units, 7), limit, count)
        except MaxFileReadTokenExceededError:
            fitting = advised(units, limit, Counter(per_char))
            assert fitting < len(units)
            if fitting and per_char is None:
                require_fitting(reading(units[:fitting], 7), limit, count)
                with pytest.raises(MaxFileReadTokenExceededError):
                    require_fitting(reading(units[: fitting + 1], 7), limit, count)


def test_what_is_advised_fits_where_the_beginning_is_dense() -> None:
    units = ["1234567890" * 20] * 50 + ["a few words"] * 950

    class Dense(Counter):
        def __call__(self, text: str) -> int:
            self.asked += 1
            return text.count("1") * 20 + text.count("words")

    dense = Dense(1.0)
    fitting = advised(units, 6_000, dense)
    assert 0 < fitting and dense("\n".join(units[:fitting])) <= 6_000 and dense.asked < 8


def test_where_not_even_one_line_fits_another_way_is_named() -> None:
    with pytest.raises(MaxFileReadTokenExceededError, match="Not even the first of these lines fits"):
        require_fitting(reading(["X" * 900]), 100, Counter(None))
