"""Reading command lines: what is understood, with which words, and what is not claimed to be."""

from __future__ import annotations

import pytest

from jupyter_agenttools.permissions import parse_command


def argvs(command: str) -> list[tuple[str, ...]]:
    parsed = parse_command(command)
    assert parsed.kind == "simple", parsed
    return [call.argv for call in parsed.commands]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls -la src", [("ls", "-la", "src")]),
        ("   \t ls", [("ls",)]),
        ("sort ''-o f", [("sort", "-o", "f")]),
        ("t'o'u\"c\"h x", [("touch", "x")]),
        (r"find . -\delete", [("find", ".", "-delete")]),
        (r"echo a\ b", [("echo", "a b")]),
        (r"ls \;touch\;x", [("ls", ";touch;x")]),
        ('echo "a \\" b" \'c "\'', [("echo", 'a " b', 'c "')]),
        (r'echo "a\b\\c\$d"', [("echo", r"a\b\c$d")]),
        ('grep "x$" f', [("grep", "x$", "f")]),
        ('echo "one\ntwo"', [("echo", "one\ntwo")]),
        ("echo ''", [("echo", "")]),
        ("echo a#b", [("echo", "a#b")]),
        ("ls # all of it; rm x", [("ls",)]),
        ("ls # one\nrm x", [("ls",), ("rm", "x")]),
        ("a | b |& c && d || e; f", [(c,) for c in "abcdef"]),
        ("a &&\n\n b", [("a",), ("b",)]),
        ("a\n\nb\n", [("a",), ("b",)]),
        ("ls 2>/dev/null >&2", [("ls",)]),
        ("ls>/dev/null 2>&1;b", [("ls",), ("b",)]),
        ("ls &> /dev/null", [("ls",)]),
        ("echo x2>/dev/null", [("echo", "x2")]),
        ("2>/dev/null ls a", [("ls", "a")]),
        ("git show HEAD~1", [("git", "show", "HEAD~1")]),
        ("find . -exec rm {} +", [("find", ".", "-exec", "rm", "{}", "+")]),
        ("[ -d src ]", [("[", "-d", "src", "]")]),
        ("find . ! -name x", [("find", ".", "!", "-name", "x")]),
        ("time -p ls", [("time", "-p", "ls")]),
    ],
)
def test_words_after_quote_removal(command: str, expected: list[tuple[str, ...]]) -> None:
    assert argvs(command) == expected


def test_assignments_stand_apart() -> None:
    (call,) = parse_command("A=1 B='x y' run C=3").commands
    assert call.env == (("A", "1"), ("B", "x y"))
    assert call.argv == ("run", "C=3")


def test_wildcards_are_marked_and_left() -> None:
    (call,) = parse_command("ls *.md 'a*' b?c [x] \\*").commands
    assert call.globs == {1, 3, 4}
    assert call.argv == ("ls", "*.md", "a*", "b?c", "[x]", "*")


def test_operators_are_kept() -> None:
    assert parse_command("a && b | c & d ;").operators == ("&&", "|", "&", ";")


@pytest.mark.parametrize(
    ("command", "check_id"),
    [
        ("", "empty"),
        (" # only words about it", "empty"),
        ("echo ${x:-$(touch y)}", "expansion"),
        ("{} x", "grammar-error"),
        ("f() ls", "keyword"),
        ("ls *(e:x:)", "subshell"),
        ("if true", "keyword"),
        ("ls; done", "keyword"),
        ("ls | ! cat", "keyword"),
        ("coproc ls", "keyword"),
        ("case x in", "malformed"),
        ("echo a \\ # x ; touch y", "gap"),
        ("ls;; b", "malformed"),
        ("a[0]=1 ls", "assignment"),
        ("r\\\nm x", "line-continuation"),
        ('echo "a\\\nb"', "line-continuation"),
        ("echo 'x", "unclosed-quote"),
        ('echo "x', "unclosed-quote"),
        ("ls &&", "incomplete"),
        ("ls |\n", "incomplete"),
        ("ls \\", "incomplete"),
        ("; ls", "malformed"),
        ("ls & & ls", "malformed"),
        ("ls\n&& x", "malformed"),
        ("ls\r", "carriage-return"),
        ("ls\x0b", "control-character"),
        ("ls\0", "control-character"),
        ("ls\x7f", "control-character"),
        ("ls\u00a0x", "unicode-blank"),
        ("ls 'x\u2028y'", "unicode-blank"),
        ("ls \u200bx", "unicode-blank"),
        ("\ufeffls", "unicode-blank"),
        ("ls \ud800", "unicode-blank"),
        ("ls " + "x" * 10_000, "too-long"),
    ],
)
def test_what_is_not_understood_says_why(command: str, check_id: str) -> None:
    parsed = parse_command(command)
    assert (parsed.kind, parsed.check_id) == ("too-complex", check_id)
    assert parsed.reason
    assert not parsed.commands


@pytest.mark.parametrize(
    "command",
    [
        "echo $HOME",
        'echo "$HOME"',
        "$'touch' x",
        "echo `date`",
        'echo "`date`"',
        "cat ~/x",
        "A=~/x ls",
        "ls a:~",
        "cat {a,b}",
        "{ ls; }",
        "(ls)",
        "ls > out",
        "ls >> out",
        "ls 3>/dev/null",
        "ls >/dev/nullx",
        "ls >/dev/tcp/h/1",
        "ls >|out",
        "echo 10>&1",
        "ls 2>&1-",
        "cat < in",
        "cat <<EOF\nx\nEOF",
        "cat <<< x",
        "ls &>out",
        "! ls",
        "time if x",
        "[[ -v x ]]",
        "PATH=x",
        "a+=1 ls",
        "time PATH=x ls",
        "/b*/rm x",
        "ls;# x",
    ],
)
def test_what_expands_or_redirects_is_understood_too(command: str) -> None:
    parsed = parse_command(command)
    assert parsed.kind == "simple", parsed


def test_letters_of_any_script_are_plain() -> None:
    assert argvs("grep 'naïve 漢字' été.txt") == [("grep", "naïve 漢字", "été.txt")]
