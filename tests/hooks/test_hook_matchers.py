"""Which tools a matcher means: lists of exact names, and JavaScript regular expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import UsageError
from jupyter_agenttools.hooks import matcher_matches
from jupyter_agenttools.hooks.events import EVENTS, subject_of
from jupyter_agenttools.hooks.matching import compile_matcher, is_pattern


@pytest.mark.parametrize(
    ("matcher", "name", "yes"),
    [
        (" ", "Bash", True),
        ("Edit | Write", "Write", True),
        ("mcp__memory", "mcp__memory__get", False),  # a list of names, not a prefix
        ("mcp__memory__.*", "mcp__memory__get", True),
        ("Edit|^Write$", "MultiEdit", True),  # not anchored
        ("^(?!Read)", "Reader", False),
        (r"^(?<first>\w)\k<first>", "AAx", True),  # JavaScript's own spelling of a named group
        (r"\u0042ash", "Bash", True),
        (r"^[^]*$", "Bash", True),  # any character at all, in JavaScript
        ("^Ba\\/sh$", "Ba/sh", True),
        ("bash.?", "Bash", False),
        ("Bashé", "Bashé", True),
    ],
)
def test_matchers_as_javascript_reads_them(matcher: str, name: str, yes: bool) -> None:
    assert matcher_matches(matcher, name) is yes


@pytest.mark.parametrize("matcher", ["(", "[z-a].", "a{2,1}.", "(?P<python>x)", "*.x"])
def test_what_javascript_cannot_read_is_refused(matcher: str) -> None:
    with pytest.raises(UsageError, match="JavaScript"):
        compile_matcher(matcher)


@given(st.lists(st.from_regex(r"[A-Za-z0-9_\-]{1,8}", fullmatch=True), min_size=1, max_size=4), st.text(max_size=8))
def test_a_list_means_its_names_and_no_others(names: list[str], other: str) -> None:
    matcher = "|".join(names)
    assert not is_pattern(matcher)
    assert all(matcher_matches(matcher, name) for name in names)
    assert matcher_matches(matcher, other) == (other in names)


def test_what_is_compared_with_a_matcher() -> None:
    assert len(EVENTS) == 31 == len(set(EVENTS))
    assert subject_of("SessionStart", {"source": "startup"}) == "startup"
    assert subject_of("FileChanged", {"file_path": "/a/b/.env"}) == ".env"
    assert subject_of("UserPromptSubmit", {"prompt": "x"}) is None
