"""Any file, any edit: what is outside of the replaced places is the same, byte for byte."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.encoding import TextFormat, decode_exactly, detect_format, encode_part
from jupyter_agenttools.files.feeds import Feeds
from jupyter_agenttools.files.matching import Match, Matcher
from jupyter_agenttools.files.near_miss import closest_line, code_points, differences, near_misses
from jupyter_agenttools.files.shifts import line_shifts, shifted
from jupyter_agenttools.files.splice import splice
from jupyter_agenttools.files.stretches import changed_stretches

UTF8 = TextFormat()
FORMS = [
    UTF8,
    TextFormat("utf-8", b"\xef\xbb\xbf", "mark"),
    TextFormat("utf-16-le", b"\xff\xfe", "mark"),
    TextFormat("utf-16-be", b"\xfe\xff", "mark"),
    TextFormat("utf-32-le", b"\xff\xfe\x00\x00", "mark"),
    TextFormat("cp1252", b"", "guess"),
    TextFormat("gbk", b"", "declared"),
    TextFormat("shift_jis", b"", "declared"),
]
PIECES = [
    "a",
    "aa",
    "b",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "é",
    "“",
    "e\u0301",
    "😀",
    "\u2028",
    "\f",
    "\\1",
    "$&",
    "表",
    "ソ",
]
pieces = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
raw = st.lists(
    st.sampled_from([*(piece.encode() for piece in PIECES), b"\xe9", b"\xff", b"\x80", b"\xf0\x9f"]), max_size=30
).map(b"".join)


def encodable(text: str, form: TextFormat) -> str:
    return text.encode(form.encoding, "ignore").decode(form.encoding)


def pattern(old: str) -> bytes:
    """An LF stands for CR LF too."""
    return rb"(?:\r\n|(?<!\r)\n)".join(re.escape(part.encode()) for part in re.split(r"(?<!\r)\n", old))


@given(raw, pieces, pieces)
@example(b"aaa", "aa", "b")
@example(b"a\r\nb\nc", "b\nc", "x\ny\nz")
@example(b"\xef\xbb\xbfa", "\ufeffa", "b")
def test_utf8_bytes_outside_of_the_places_stay(data: bytes, old: str, new: str) -> None:
    assume(old)
    matches = Matcher(old, UTF8).all(data)
    assert [tuple(match) for match in matches] == [found.span() for found in re.finditer(pattern(old), data)]
    result = splice(data, UTF8, matches, new)
    outside, position = [], 0
    for match in matches:
        outside.append(data[position : match.start])
        position = match.end
    outside.append(data[position:])
    inserted = rb"\r?\n".join(re.escape(part.encode()) for part in re.split(r"(?<!\r)\n", new))
    assert re.fullmatch((b"(?:" + inserted + b")").join(re.escape(part) for part in outside), result.data)


@given(raw, pieces, pieces)
def test_without_line_ends_it_is_what_replacing_bytes_gives(data: bytes, old: str, new: str) -> None:
    old, new = (text.replace("\n", "").replace("\r", "") for text in (old, new))
    assume(old)
    result = splice(data, UTF8, Matcher(old, UTF8).all(data), new)
    assert result.data == data.replace(old.encode(), new.encode())
    rebuilt, position = b"", 0
    for change in result.changes:
        rebuilt += data[position : change.start] + change.new
        position = change.end
    assert rebuilt + data[position:] == result.data


@given(st.sampled_from(FORMS), pieces, pieces, pieces, pieces)
def test_every_encoding_agrees_with_replacing_text(
    form: TextFormat, before: str, old: str, behind: str, new: str
) -> None:
    before, old, behind, new = (
        encodable(text.replace("\n", " ").replace("\r", ""), form) for text in (before, old, behind, new)
    )
    text = before + old + behind
    data = form.mark + encode_part(text, form)
    assume(old and decode_exactly(data, form) == text)
    result = splice(data, form, Matcher(old, form).all(data), new)
    assert decode_exactly(result.data, form) == text.replace(old, new)


@given(st.sampled_from(FORMS), st.lists(st.sampled_from(["a", "b", "é", ""]), min_size=1, max_size=8), pieces)
def test_a_file_of_one_kind_of_line_end_keeps_it(form: TextFormat, lines: list[str], new: str) -> None:
    new = encodable(new.replace("\r", ""), form)
    for end in ("\n", "\r\n"):
        text = "".join(encodable(line, form) + end for line in [*lines, "x"])
        data = form.mark + encode_part(text, form)
        result = splice(data, form, Matcher("x", form).all(data), new)
        now = decode_exactly(result.data, form)
        assert now == text.replace("x", new.replace("\n", end))


@given(raw, pieces)
def test_every_place_is_counted(data: bytes, old: str) -> None:
    assume(old)
    counted = Matcher(old, UTF8).count(data, 1_000)
    starts = [at for at in range(len(data)) if re.compile(pattern(old)).match(data, at)]
    assert [match.start for match in counted] == starts
    assert Matcher(old, UTF8).count(data, 1) == counted[:1]


@given(st.binary(max_size=60))
def test_any_bytes_have_an_encoding_and_it_is_always_the_same(data: bytes) -> None:
    form = detect_format(data)
    assert form == detect_format(bytes(data))
    text = decode_exactly(data, form)
    if text is not None:
        assert form.mark + encode_part(text, form) == data


@given(
    st.lists(st.sampled_from("abc"), max_size=12),
    st.integers(0, 12),
    st.integers(0, 4),
    st.lists(st.sampled_from("xy"), max_size=4),
)
def test_known_lines_stay_known(lines: list[str], first: int, count: int, put: list[str]) -> None:
    """Whole lines are replaced; who knew every line knows every line."""
    first = min(first, len(lines))
    old, new = lines[first : first + count], put
    data = "".join(f"{line}\n" for line in lines).encode()
    start = 2 * first
    result = splice(data, UTF8, [Match(start, start + 2 * len(old))], "".join(f"{line}\n" for line in new))
    shifts = line_shifts(data, UTF8, result.changes)
    total = result.data.count(b"\n")
    known = shifted([(1, len(lines))] if lines else [], shifts)
    assert sum(shift.delta for shift in shifts) == len(new) - len(old)
    assert known == (((1, total),) if total else ())


@given(raw, pieces, pieces)
def test_stretches_turn_the_old_lines_into_the_new_ones(data: bytes, old: str, new: str) -> None:
    assume(old)
    result = splice(data, UTF8, Matcher(old, UTF8).all(data), new)
    for stretch in changed_stretches(data, UTF8, result):
        for content, text, line in (
            (data, stretch.old, stretch.old_line),
            (result.data, stretch.new, stretch.new_line),
        ):
            decoded = content.decode("utf-8", "backslashreplace").removeprefix("\ufeff")
            start = sum(len(row) + 1 for row in decoded.split("\n")[: line - 1])
            part = decoded[start:]
            assert part.startswith(text.removeprefix("\ufeff")) or part.replace("\r\n", "\n").startswith(text)


@given(st.sampled_from(FORMS), st.lists(st.sampled_from(["a", "\n", "\r\n", "ਊ", "\u0a00", "é"]), max_size=20))
def test_line_feeds_are_those_of_the_text(form: TextFormat, parts: list[str]) -> None:
    text = encodable("".join(parts), form)
    data = encode_part(text, form)
    feeds = Feeds(data, form)
    assert feeds.count(0, len(data)) == text.count("\n")
    found, position = 0, 0
    while (at := feeds.after(position)) >= 0:
        found, position = found + 1, at + len(feeds.feed)
    assert found == text.count("\n")
    assert feeds.before(len(data)) == (len(encode_part(text[: text.rfind("\n")], form)) if found else -1)


@pytest.mark.parametrize("form", FORMS)
def test_a_character_that_an_encoding_has_not_is_named(form: TextFormat) -> None:
    char = "\ud800" if form.encoding.startswith("utf") else "\U0001f600"
    with pytest.raises(ToolValidationError, match=f"{ord(char):04X}") as refusal:
        splice(b"", form, [], f"a\n{char}")
    assert refusal.value.check_id == "text-encoding" and "line 2" in refusal.value.message


@given(pieces, pieces, pieces)
@example("\\ud800", "", "\ud800")
def test_looking_for_likenesses_never_fails(wanted: str, before: str, behind: str) -> None:
    for text in (before + behind, before + wanted + behind):
        for miss in near_misses(wanted, text):
            assert 1 <= min(miss.lines) and max(miss.lines) <= text.count("\n") + 1
            for found in differences(wanted, miss.real):
                assert found.real != found.wanted and code_points(found.real + found.wanted)
    closest_line(wanted, before)
