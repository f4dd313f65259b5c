"""What two sequences have in common at their beginning."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.sequences import same_beginning


@given(st.lists(st.integers(0, 2), max_size=8), st.lists(st.integers(0, 2), max_size=8))
def test_it_is_as_long_as_the_items_are_the_same(one: list[int], other: list[int]) -> None:
    length = same_beginning(one, tuple(other))
    assert one[:length] == other[:length]
    assert length in (len(one), len(other)) or one[length] != other[length]


def test_equal_is_not_the_same() -> None:
    shared = [1]
    assert same_beginning([shared, [2]], [shared, [2]]) == 1
