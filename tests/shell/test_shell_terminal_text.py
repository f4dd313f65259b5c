"""What is to be seen of a program's output."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.shell.terminal_text import LONG_LINE_CHARS, BoundedText, TerminalText, without_colours

LIMIT = 1_000_000


def seen(*pieces: bytes, limit: int = LIMIT) -> str:
    text = TerminalText(limit)
    for piece in pieces:
        text.feed(piece)
    text.feed(b"", final=True)
    return text.kept.whole()


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"plain\nlines\n", "plain\nlines\n"),
        (b"dos\r\nlines\r\n", "dos\nlines\n"),
        (b"twice\r\r\n", "twice\n"),
        (b"10%\r20%\r100%\n", "100%\n"),
        (b"long first\rshort\n", "shortfirst\n"),
        (b"old text\r\x1b[Knew\n", "new\n"),
        (b"old text\x1b[2K\rnew\n", "new\n"),
        (b"old text\x1b[2Knew\n", "        new\n"),
        (b"old text\x1b[1K!\n", "        !\n"),
        (b"abc\b\bX\n", "aXc\n"),
        (b"\b\babc\n", "abc\n"),
        (b"abc\x1b[2DX\n", "aXc\n"),
        (b"a\x1b[3Cb\n", "a   b\n"),
        (b"abc\x1b[1GX\n", "Xbc\n"),
        (b"\x1b[1mbold\x1b[0m\n", "\x1b[1mbold\x1b[0m\n"),
        (b"\x1b[31m10%\r\x1b[32m20%\x1b[0m\n", "\x1b[32m20%\x1b[0m\n"),
        (b"\x1b[31mred\x1b[0m\rX\n", "\x1b[0mXed\n"),
        (b"\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link\n", "textlink\n"),
        (b"\x1b[?25lhidden cursor\x1b[?25h\x1b(B\x1b=\n", "hidden cursor\n"),
        (b"nothing above\x1b[1A!\n", "nothing above!\n"),
        (b"one\ntwo\n\x1b[1A\x1b[2Kthree\n", "one\nthree\n"),
        (b"one\r\ntwo\x1b[1A\rZ\r\n", "Zne\ntwo"),
        (b"a 1%\nb 1%\n\x1b[2Fa 9%\nb 9%\n", "a 9%\nb 9%\n"),
        (b"a\nb\nc\x1b[2F\x1b[Jx\n", "x\n"),
        (b"a\nb\nc\x1b[2A\x1b[1Ex\x1b[9By\n", "a\nx\ncy\n"),
        (b"frame 1\rframe 2", "frame 2"),
        (b"ends with return\r", "ends with return"),
        (b"broken \xff\xc3( utf-8\n", "broken \ufffd\ufffd( utf-8\n"),
        (b"stray \x1b\n", "stray \n"),
        (b"\xe2\x82\xac 1\r\xe2\x82\xac 2\n", "€ 2\n"),
    ],
)
def test_a_line_is_what_a_person_would_see(raw: bytes, shown: str) -> None:
    assert seen(raw) == shown
    assert seen(*(raw[i : i + 1] for i in range(len(raw)))) == shown, "it must not matter how it is cut into pieces"


BITS = st.sampled_from(
    [b"a", b"bc", b" ", b"\n", b"\r", b"\r\n", b"\b", b"\x1b[K", b"\x1b[2K", b"\x1b[31m", b"\x1b[0m", b"\x1b[3D",
     b"\x1b[2C", b"\x1b[5G", b"\x1b]0;t\x07", b"\x1b", b"[", b"\xc3\xa9", b"\xc3", b"\xff", b"\x00", b"\t"]
)  # fmt: skip


MOVES = st.sampled_from(
    ["a", "bc", "\n", "\n", "\r", "\x1b[K", "\x1b[2K", "\x1b[J", "\x1b[A", "\x1b[2A", "\x1b[B", "\x1b[3F", "\x1b[E",
     "\x1b[2C"]
)  # fmt: skip


def on_a_screen(moves: list[str]) -> str:
    """What a screen without edges shows in the end."""
    rows, row, column = [""], 0, 0
    for move in moves:
        line = rows[row]
        if move == "\n":
            row, column = row + 1, 0
            rows += [""] * (row == len(rows))
        elif move == "\r":
            column = 0
        elif not move.startswith("\x1b"):
            rows[row] = line[:column].ljust(column) + move + line[column + len(move) :]
            column += len(move)
        elif move[-1] in "AFBE":
            step = int(move[2:-1] or 1) * (-1 if move[-1] in "AF" else 1)
            row = min(max(0, row + step), len(rows) - 1)
            column = column if move[-1] in "AB" else 0
        elif move[-1] == "C":
            column += 2
        else:
            rows[row] = "" if move == "\x1b[2K" else line[:column]
            del rows[row + 1 if move == "\x1b[J" else len(rows) :]
    return "\n".join(rows)


@given(moves=st.lists(MOVES, max_size=40), data=st.data())
def test_the_final_frame_is_kept(moves: list[str], data: st.DataObject) -> None:
    raw = "".join(moves).encode()
    cut = data.draw(st.integers(0, len(raw)))
    assert seen(raw[:cut], raw[cut:]) == on_a_screen(moves)


@given(moves=st.lists(MOVES, max_size=60), limit=st.integers(2, 30))
def test_going_up_respects_what_is_no_longer_kept(moves: list[str], limit: int) -> None:
    terminal = TerminalText(limit)
    for move in moves:
        terminal.feed(move.encode())
        terminal.tail(limit - 1)
    terminal.feed(b"", final=True)
    kept = terminal.kept
    head, tail = kept.head_and_tail(limit)
    assert len(head) + len(tail) <= limit
    if kept.chars <= limit:
        assert len(kept.whole()) == kept.chars and kept.whole().count("\n") == kept.newlines


def test_a_frame_of_many_rows_drawn_again_and_again() -> None:
    terminal = TerminalText(30_000)
    for percent in range(1, 101):
        frame = "".join(f"\x1b[2Klayer {n}: {percent} %\n" for n in range(50))
        terminal.feed(frame.encode() + b"\x1b[50A")
    terminal.feed(b"\x1b[50Bdone\n", final=True)
    assert terminal.kept.whole() == "".join(f"layer {n}: 100 %\n" for n in range(50)) + "done\n"


@given(bits=st.lists(BITS, max_size=30), data=st.data())
def test_pieces_do_not_matter(bits: list[bytes], data: st.DataObject) -> None:
    raw = b"".join(bits)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert seen(*pieces) == seen(raw)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\b\x1b")))
def test_text_without_control_sequences_is_itself(text: str) -> None:
    terminal = TerminalText(LIMIT)
    terminal.feed(text.encode())
    terminal.feed(b"", final=True)
    assert terminal.kept.whole() == text
    assert terminal.altered is any(c in text for c in "\0\ufffd")


@given(st.lists(BITS, max_size=30))
def test_a_model_never_reads_escape_sequences(bits: list[bytes]) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", without_colours(seen(b"".join(bits))))


def test_what_differs_from_the_bytes_is_noted() -> None:
    for raw, altered in ((b"plain\n", False), (b"a\r\n", True), (b"\x1b[1mb\n", True), (b"\xff", True), (b"\0", True)):
        text = TerminalText(LIMIT)
        text.feed(raw)
        text.feed(b"", final=True)
        assert text.altered is altered


def test_a_progress_bar_without_a_newline_stays_small() -> None:
    text = TerminalText(1_000)
    for step in range(20_000):
        text.feed(b"\r%5d [%s]" % (step, b"#" * 60))
    assert text.line() == f"19999 [{'#' * 60}]"
    assert text.kept.chars == 0


def test_a_line_without_an_end_is_not_held_back_for_ever() -> None:
    text = TerminalText(1_000)
    for _ in range(300):
        text.feed(b"x" * 1_000)
    assert len(text.line()) <= LONG_LINE_CHARS
    assert text.kept.chars + len(text.line()) == 300_000


@given(pieces=st.lists(st.text("ab\n", max_size=40), max_size=12), limit=st.integers(4, 60))
def test_beginning_and_end_are_kept(pieces: list[str], limit: int) -> None:
    bounded, whole = BoundedText(limit), "".join(pieces)
    for piece in pieces:
        bounded.append(piece)
    assert (bounded.chars, bounded.newlines) == (len(whole), whole.count("\n"))
    for chars in range(limit + 1):
        assert bounded.tail(chars) == whole[len(whole) - min(chars, len(whole)) :]
    if len(whole) <= limit:
        assert bounded.whole() == whole
    else:
        head, tail = bounded.head_and_tail(limit)
        assert whole.startswith(head) and whole.endswith(tail)
        assert limit // 2 - 2 <= len(head) + len(tail) <= limit
