"""Texts that are cut in the middle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.results import clip


@given(st.text(), st.integers(0, 30))
def test_what_is_left_out_is_counted(text: str, limit: int) -> None:
    shown = clip(text, limit)
    if len(text) <= limit:
        assert shown == text
    else:
        head = int(limit * 0.75)
        note = f"\n\n[… {len(text) - limit:,} characters left out …]\n\n"
        assert shown == text[:head] + note + text[len(text) - (limit - head) :]
