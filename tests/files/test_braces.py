"""``{a,b}`` groups: what they stand for, and that no pattern takes long to find out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.braces import MAX_ALTERNATIVES, expand_braces
from jupyter_agenttools.files.glob_pattern import MAX_PATTERN_CHARS, GlobPattern, require_pattern, split_base
from jupyter_agenttools.files.path_filter import path_filter_of
from jupyter_agenttools.files.plain_search.walk import NameFilter


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        ("a", ["a"]),
        ("{a,b}c", ["ac", "bc"]),
        ("x{a,{b,c}d}y", ["xay", "xbdy", "xcdy"]),
        ("{a,b}{1,2}", ["a1", "a2", "b1", "b2"]),
        ("{a}{b,c}", ["{a}b", "{a}c"]),
        ("{x{a,b}y}", ["{xay}", "{xby}"]),
        ("{a{b,c}", ["{ab", "{ac"]),
        ("{a,b", ["{a,b"]),
        ("a,b}", ["a,b}"]),
        ("{,a}", ["", "a"]),
        (r"\{a,b}", [r"\{a,b}"]),
        (r"{a\,b,c}", [r"a\,b", "c"]),
    ],
)
def test_what_groups_stand_for(pattern: str, alternatives: list[str]) -> None:
    assert expand_braces(pattern) == alternatives


def _by_recursion(pattern: str) -> list[str]:
    """The same the slow way: the first group that is closed and holds a comma of its own, and then the rest."""
    for start in (at for at, char in enumerate(pattern) if char == "{"):
        depth, cuts = 0, [start]
        for at in range(start, len(pattern)):
            depth += (pattern[at] == "{") - (pattern[at] == "}")
            if (pattern[at] == "," and depth == 1) or depth == 0:
                cuts.append(at)
            if depth == 0:
                break
        if depth == 0 and len(cuts) > 2:
            options = [pattern[a + 1 : b] for a, b in pairwise(cuts)]
            inner = [one for option in options for one in _by_recursion(option)]
            return [pattern[:start] + a + b for a in inner for b in _by_recursion(pattern[cuts[-1] + 1 :])]
    return [pattern]


@given(st.text("{},ab", max_size=14))
def test_quick_and_slow_agree(pattern: str) -> None:
    assert expand_braces(pattern) == _by_recursion(pattern)


@pytest.mark.parametrize("pattern", ["{" * 4_000, "{a," * 1_300, "{a,b}" * 12, "{a,b}" * 8 + "x" * 4_000, "}" * 4_000])
def test_no_pattern_takes_long(pattern: str) -> None:
    try:
        assert len(expand_braces(pattern)) <= MAX_ALTERNATIVES
    except ToolValidationError as refusal:
        assert refusal.check_id == "glob-too-many" and len(refusal.message) < 1_000


@pytest.mark.parametrize(
    ("pattern", "check"),
    [
        ("{" * 100_000, "glob-too-long"),
        ("a" * (MAX_PATTERN_CHARS + 1), "glob-too-long"),
        ("a\0", "glob-nul"),
        ("\ud800", "glob-encoding"),
        ("a\\", "glob-pattern"),
    ],
)
def test_texts_that_are_no_pattern(pattern: str, check: str) -> None:
    for read in (GlobPattern, lambda text: path_filter_of(text, None)):
        with pytest.raises(ToolValidationError) as refusal:
            read(pattern)
        assert refusal.value.check_id == check and len(refusal.value.message) < 1_000


def test_many_globs_of_one_list_are_bounded() -> None:
    with pytest.raises(ToolValidationError, match="too many"):
        path_filter_of(",".join(["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"] * 20), None)
    require_pattern("bytes \udcff are a path", "glob")


@pytest.mark.parametrize(
    ("glob", "fits", "fails"),
    [
        (r"\*.txt", "*.txt", "a.txt"),
        (r"a\?", "a?", "ab"),
        (r"\[x\].py", "[x].py", "x.py"),
        (r"\{a,b\}", "{a,b}", "a"),
        (r"\!keep", "!keep", "keep"),
        (r"a\ b*", "a bc", "a\\ bc"),
        (r"back\\slash", "back\\slash", "backslash"),
    ],
)
def test_a_backslash_makes_a_sign_a_character(glob: str, fits: str, fails: str) -> None:
    wanted = path_filter_of(glob, None)
    names = NameFilter.from_texts(list(wanted.wanted), wanted.unwanted)
    assert names.fits(fits) and not names.fits(fails)
    if glob != r"\!keep" and " " not in glob:
        pattern = GlobPattern(glob)
        assert pattern.matches(pattern.start(), fits) and not pattern.matches(pattern.start(), fails)


def test_what_ends_in_a_slash_is_about_folders() -> None:
    for text in ("*.txt/", "**/*/", "src/"):
        pattern = GlobPattern(split_base(text)[1])
        assert split_base(text)[1].endswith("/") and not pattern.matches(pattern.start(), "a.txt")
    both = GlobPattern("{a/,b}")
    assert both.matches(both.start(), "b") and not both.matches(both.start(), "a")
