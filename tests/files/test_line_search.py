"""Searching lines: both engines find the same, and nothing of them is left."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools.files.line_search import Counted, LineEngine, LineQuery, choose_engine
from jupyter_agenttools.files.path_filter import path_filter_of
from jupyter_agenttools.files.regex import read_pattern
from jupyter_agenttools.files.ripgrep import find_ripgrep
from jupyter_agenttools.tools.grep.lines import Page, shown_lines
from jupyter_agenttools.tools.grep.output import ShownLine

WITHOUT = {"JUPYTER_AGENTTOOLS_RIPGREP": "off"}

needs_ripgrep = pytest.mark.skipif(find_ripgrep({}) is None, reason="there is no ripgrep to compare with")


def engines(query: LineQuery) -> tuple[LineEngine, LineEngine]:
    both = choose_engine(query.pattern, {}, each=query.each), choose_engine(query.pattern, WITHOUT, each=query.each)
    assert both[1].name == "python" and (both[0].name == "ripgrep" or query.pattern.may_be_empty)
    return both


class Answer(dict[str, tuple[int, list[ShownLine]]]):
    """By file: how often it matches, and its lines as they are shown."""


async def ask(engine: LineEngine, query: LineQuery, *, around: int = 1) -> tuple[Answer, Counted]:
    counted = await engine.count(query, time_limit_s=60)
    files = sorted(file.path for file in counted.files)
    taken = await engine.excerpts(query, files, before=around, after=around, most=0, time_limit_s=60)
    counts = dict(counted.files)
    page = Page(0, 10**6, 10**6, around, around, query.each and query.pattern.by_line, query.pattern.by_line)
    shown = {file: shown_lines(taken.records.get(file, []), page)[0] for file in files}
    return Answer({file: (counts[file], shown[file]) for file in files}), counted


def compare(query: LineQuery) -> Answer:
    """What both engines answer; it has to be the same."""

    async def both() -> Answer:
        (rg, rg_counted), (plain, plain_counted) = [await ask(engine, query) for engine in engines(query)]
        assert rg == plain
        assert rg_counted.troubles == plain_counted.troubles
        return rg

    return anyio.run(both)


def query(root: Path, pattern: str, **how: Any) -> LineQuery:
    flags = {name: how.pop(name) for name in ("ignore_case", "multiline") if name in how}
    paths = path_filter_of(how.pop("glob", None), how.pop("type", None))
    each = how.pop("each", flags.get("multiline", False))
    return LineQuery(str(root), read_pattern(pattern, **flags), paths, each=each, **how)


def tree(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        try:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue  # one path's file is another one's folder
    return root


# ---- both engines

words = st.sampled_from([
    "ab", "a", "b", "foo", "Foo", "x_1", "é", "ß", "K", "漢字", " ", "\t", ".", "-", "(", "1", "٣", "ſ", "\xa0",
    "\x85",
])  # fmt: skip
line = st.lists(words, max_size=5).map("".join)
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    text = "".join(one + draw(ends) for one in draw(st.lists(line, max_size=6))) + draw(line)
    kind = draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "broken", "nul"]))
    if kind == "broken":
        return text.encode().replace(b"b", b"\xff\xc3")
    return text.encode() + b"a\0b\n" if kind == "nul" else text.encode(kind)


atom = st.sampled_from([
    "a", "b", "foo", ".", r"\w", r"\W", r"\d", r"\s", r"\S", "[ab]", "[^a]", r"[\w-]", r"[^\w]", r"\b", r"\B", "^",
    "$", "é", "K", "k", r"\.", r"\(", "[[:alpha:]]", r"[\s\S]", "(?i:foo)", "x_", r"\x61", "ß", "[a-k]", "{", r"\D",
    "s",
])  # fmt: skip
repeat = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "+?", "*?"])


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        if depth and draw(st.integers(0, 4)) == 0:
            inner = "|".join(draw(st.lists(patterns(depth=depth - 1), min_size=1, max_size=2)))
            parts.append(f"({inner})" + draw(repeat))
        else:
            one = draw(atom)
            parts.append(one + ("" if one in "^${" or one in (r"\b", r"\B") else draw(repeat)))
    return "".join(parts)


@needs_ripgrep
@given(st.lists(contents(), min_size=1, max_size=6), patterns(), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=int(os.environ.get("AGENTTOOLS_EXAMPLES", "40")), suppress_health_check=list(HealthCheck))
def test_both_engines_find_the_same_lines(
    files: list[bytes], pattern: str, ignore_case: bool, multiline: bool, each: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder), {f"f{i}": data for i, data in enumerate(files)})
        compare(query(root, pattern, ignore_case=ignore_case, multiline=multiline, each=each or multiline))


name = st.sampled_from(["a", "b", "ab", "a.py", "b.txt", ".h", "x y", "ü"])
path = st.lists(name, min_size=1, max_size=3).map("/".join)
rule = st.sampled_from([
    "a", "b/", "*.py", "!a.py", "/a", "/b/*", "a/b", "**/a.py", "a/**", "!/a/b", "#c", "", "!*.txt", "x\\ y", "?",
    "[ab]", "*", "!*/", "a/*/b", "**", "ü*", "*.{py,txt}", "a/", "!b",
])  # fmt: skip
rules = st.lists(rule, max_size=4).map("\n".join)
globs = st.sampled_from([
    None, None, "*.py", "*.{py,txt}", "a/**", "!*.py", "**/b/*", "a*", "*.py,!a.py", "b/", "[ab]*", "?",
])  # fmt: skip


@needs_ripgrep
@given(
    st.lists(path, min_size=1, max_size=10),
    st.dictionaries(st.sampled_from(["", "a/", "b/", "a/b/"]), rules, max_size=3),
    st.dictionaries(st.sampled_from(["", "a/"]), rules, max_size=1),
    st.sampled_from([".git/HEAD", "a/.git/HEAD", None]),
    globs,
    st.sampled_from(["", "a", "a/b", "b"]),
)
@settings(max_examples=int(os.environ.get("AGENTTOOLS_EXAMPLES", "40")), suppress_health_check=list(HealthCheck))
def test_both_engines_search_the_same_files(
    paths: list[str],
    git_rules: dict[str, str],
    dot_rules: dict[str, str],
    repository: str | None,
    glob: str | None,
    start: str,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder), {one: b"here\n" for one in paths})
        tree(root, {f"{where}.gitignore": text.encode() for where, text in git_rules.items()})
        tree(root, {f"{where}.ignore": text.encode() for where, text in dot_rules.items()})
        tree(root, {repository: b""} if repository else {})
        if (root / start).is_dir():
            compare(query(root / start, "here|^", glob=glob))
