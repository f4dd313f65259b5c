"""The wildcards of a shell: what they fit, and that no pattern takes long."""

from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.permissions.command.fields import _trimmed
from jupyter_agenttools.permissions.command.places import _component
from jupyter_agenttools.permissions.command.wildcards import whole_regex


@given(st.lists(st.sampled_from(["a", "b", ".", ".*", "[ab]"]), max_size=8), st.text("abc\n", max_size=10))
def test_it_fits_what_the_plain_expression_fits(signs: list[str], text: str) -> None:
    plain = re.fullmatch("".join(signs), text, re.DOTALL)
    assert bool(re.fullmatch(whole_regex(signs), text, re.DOTALL)) == bool(plain)


def test_many_stars_take_no_time() -> None:
    began = time.monotonic()
    pattern = "*a" * 10 + "*b"
    component = _component(pattern)
    assert component is not None and not component.fullmatch("a" * 60)
    assert _trimmed("a" * 60, "##", pattern) == "a" * 60
    assert time.monotonic() - began < 20
