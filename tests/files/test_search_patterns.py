"""Patterns for two engines, lists of globs, types of files, and where ripgrep is found."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files import ripgrep
from jupyter_agenttools.files.file_types import name_patterns_of
from jupyter_agenttools.files.path_filter import path_filter_of, split_globs
from jupyter_agenttools.files.plain_search.scan import Matcher
from jupyter_agenttools.files.plain_search.walk import NameFilter, Walk
from jupyter_agenttools.files.plain_search.words import class_body, complement, word_ranges
from jupyter_agenttools.files.regex import read_pattern
from jupyter_agenttools.files.regex.pieces import PatternError
from tests.support.other_user import as_ordinary_user


def matcher(pattern: str, **how: bool) -> Matcher:
    forms = read_pattern(pattern, **how)
    assert forms.python is not None
    return Matcher(
        forms.python,
        list(forms.required),
        ignore_case=forms.ignore_case,
        by_line=forms.by_line,
        one_line_at_a_time=forms.by_line and bool(forms.python_only),
    )


def found(pattern: str, text: str, **how: bool) -> list[str]:
    return [text[start:end] for start, end in matcher(pattern, **how).spans(text)]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("a.c", "abc a\nc", ["abc"]),
        ("[^a]", "ab\nc", ["b", "c"]),
        (r"\w+", "größe x_1", ["größe", "x_1"]),
        (r"\bé\b", "é éa", ["é"]),
        (r"x{2,}", "x xx xxx", ["xx", "xxx"]),
        ("a{,2}b", "aab", ["aab"]),
        ("{a}", "{a}", ["{a}"]),
        ("f{", "f{", ["f{"]),
        ("[[]", "[", ["["]),
        ("[]a]+", "]a", ["]a"]),
        (r"[\]\\-]", r"a]\-", ["]", "\\", "-"]),
        ("(?i)Ab|c", "aB C", ["aB", "C"]),
        ("x(?i:y)z", "xYz xyZ", ["xYz"]),
        ("a++b", "aab", ["aab"]),
        (r"\x41\u{e9}", "Aé", ["Aé"]),
        (r"^b$", "a\nb\r\nb", ["b", "b"]),
        (r"\Ab\z", "a\nb\n", ["b"]),
        ("(?P<n>a)(?<m>b)", "ab", ["ab"]),
        ("(?#words)a", "a", ["a"]),
        (r"[[:digit:]]+[[:^alpha:]]", "12-", ["12-"]),
        (r"(a)\1", "aab", ["aa"]),
        (r"a(?=b)", "ab ac", ["a"]),
        (r"\<b\>", "b bb", ["b"]),
    ],
)
def test_patterns_mean_what_they_say(pattern: str, text: str, expected: list[str]) -> None:
    assert found(pattern, text) == expected


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("a(b", 1),
        ("a)b", 1),
        ("[ab", 0),
        ("+a", 0),
        ("a|*", 2),
        ("a{3,2}", 1),
        ("[b-a]", 1),
        (r"a\y", 1),
        ("a\\", 1),
        ("(?k)a", 0),
        (r"\xZZ", 0),
        ("a{2000}", 1),
        ("(?<=a", 0),
        (r"\p", 0),
        ("(" * 300, 60),
    ],
)
def test_what_is_no_pattern_says_where(pattern: str, position: int) -> None:
    with pytest.raises(PatternError, match=f"at position {position + 1}, ") as refusal:
        read_pattern(pattern)
    assert refusal.value.position == position and refusal.value.check_id == "grep-pattern"


def test_what_only_one_engine_knows() -> None:
    for pattern in ("(?<!a)b", r"(a)\1", "(?>a+)b", r"\<a"):
        forms = read_pattern(pattern)
        assert forms.rust is None and forms.python and forms.python_only
    for pattern in (r"\p{Greek}+", "[a-z&&[^aeiou]]", "(?x) a b", "(?U)a+", r"[\pL_]"):
        forms = read_pattern(pattern)
        assert forms.python is None and forms.rust and forms.ripgrep_only
    with pytest.raises(PatternError, match="different engines"):
        read_pattern(r"(?=\p{L})x")


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("needle", ("needle",)), ("a.needle+", ("needl",)), ("ab|cd", ("ab", "cd")), ("(foo|bar)x", ("foo", "bar")),
        ("x*", ()), ("a?b", ("b",)), ("(abc)?d", ("d",)), ("(abc){2}", ("abc",)), (r"\w+", ()), ("a|b*", ()),
        ("(?i)abc", ()), (r"def \w+\(self", ("(self",)),
    ],
)  # fmt: skip
def test_what_every_match_holds(pattern: str, required: tuple[str, ...]) -> None:
    forms = read_pattern(pattern)
    longest = max(map(len, required), default=0)
    assert len(forms.required) == len(required) and max(map(len, forms.required), default=0) == longest


@given(st.text("ab(|)*+?.[]^$\\é{}1,-\n", max_size=12), st.text("ab.é1\n-", max_size=12), st.booleans(), st.booleans())
def test_any_text_is_a_pattern_or_says_why(pattern: str, text: str, ignore_case: bool, multiline: bool) -> None:
    try:
        forms = read_pattern(pattern, ignore_case=ignore_case, multiline=multiline)
    except PatternError as refusal:
        assert 0 <= refusal.position <= len(pattern)
        return
    if forms.python is None:
        return
    made = matcher(pattern, ignore_case=ignore_case, multiline=multiline)
    try:
        spans = list(made.spans(text))
    except re.error:
        assert forms.python_only, "Python may know a back reference to a group that is not there"
        return
    if spans:
        assert made.may_match(text.encode()), "the quick look never hides a match"


def test_words_are_those_of_unicode() -> None:
    word = re.compile(f"[{class_body(word_ranges())}]")
    assert all(word.match(char) for char in "aé_9漢\u0301\u200dⓐ")
    assert not any(word.match(char) for char in "-²½ \u00a0€😀\udc80")
    other = re.compile(f"[{class_body(complement(word_ranges()))}]")
    assert all(bool(word.match(chr(p))) != bool(other.match(chr(p))) for p in range(0x3000))


def test_the_searching_process_needs_nothing_but_python() -> None:
    folder = Path(ripgrep.__file__).parent
    code = "import sys; sys.path.append(sys.argv[1]); import plain_search.worker; print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", code, str(folder)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {name for name in loaded if name.startswith(("pydantic", "anyio", "jupyter_agenttools"))}


# ---- files


def test_lists_of_globs() -> None:
    assert split_globs("*.py") == ["*.py"]
    assert split_globs("*.{ts,tsx}, *.js") == ["*.{ts,tsx}", "*.js"]
    assert split_globs("*.py *.js") == ["*.py", "*.js"]
    assert split_globs("my file.txt") == ["my file.txt"]
    for nothing in ("", " , ", "!"):
        with pytest.raises(ToolValidationError):
            split_globs(nothing)


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.py", ["a.py", "d/e/a.py", ".py"], ["a.pyc"]),
        ("src/*.py", ["src/a.py"], ["src/d/a.py", "x/src/a.py"]),
        ("src/**", ["src/a", "src/d/a"], ["src", "b/src/a"]),
        ("**/t/*", ["t/a", "x/t/a"], ["t/x/a"]),
        ("docs/", ["docs/a/b", "x/docs/a"], ["docs"]),
        ("!*.md", ["a.py"], ["a.md", "d/a.md"]),
        ("*.py,!test_*", ["a.py"], ["test_a.py", "d/test_b.py"]),
        ("/a", ["a"], ["d/a"]),
        ("[!a]*", ["b"], ["a"]),
        ("-x", ["-x", "d/-x"], ["x"]),
    ],
)
def test_globs_of_a_search(glob: str, yes: list[str], no: list[str]) -> None:
    made = path_filter_of(glob, None)
    names = NameFilter.from_texts(list(made.wanted), made.unwanted)
    assert [path for path in yes if not names.fits(path)] == []
    assert [path for path in no if names.fits(path)] == []


def test_types() -> None:
    assert name_patterns_of("py") == name_patterns_of("Python") == ("*.py", "*.pyi")
    with pytest.raises(ToolValidationError, match=r"did you mean .*js"):
        name_patterns_of("cjs")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of somebody else")
def test_a_folder_that_cannot_be_opened_is_told(everybodys_folder: Path) -> None:
    for name in ("open", "shut"):
        (everybodys_folder / name).mkdir()
        (everybodys_folder / name / "f").touch()
    (everybodys_folder / "shut").chmod(0o700)

    def walk() -> str:
        told: list[str] = []
        how = {"respect_ignore": True, "on_error": lambda path, error: told.append(path)}
        return f"{sorted(Walk(str(everybodys_folder), NameFilter(), **how).files())} {told}"  # type: ignore[arg-type]

    assert as_ordinary_user(walk) == "['open/f'] ['shut/']"


# ---- ripgrep


def program(folder: Path, version: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "rg"
    path.write_text(f"#!/bin/sh\necho 'ripgrep {version}'\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_where_ripgrep_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = tmp_path / "scripts", tmp_path / "bin"
    own.mkdir()
    monkeypatch.setattr(ripgrep.sysconfig, "get_path", lambda name: str(own))
    monkeypatch.setenv("PATH", f"{other}:/nowhere")
    assert ripgrep.find_ripgrep({}) is None
    program(other, "13.0.0")
    assert ripgrep.find_ripgrep({}) == (str(other / "rg"), (13, 0))
    program(own, "15.2.0 (rev 1)")
    assert ripgrep.find_ripgrep({}) == (str(own / "rg"), (15, 2))
    assert ripgrep.find_ripgrep({ripgrep.SWITCH: "off"}) is None


def test_a_ripgrep_that_is_too_old_or_beside_the_work_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep.sysconfig, "get_path", lambda name: str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    program(tmp_path / "old", "12.1.1")
    program(tmp_path, "15.0.0")
    for path in (str(tmp_path / "old"), ".", "", "old"):
        monkeypatch.setenv("PATH", path)
        assert ripgrep.find_ripgrep({}) is None
