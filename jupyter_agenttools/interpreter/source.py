"""From the text of code to what can be run: statements, and a last expression whose value is wanted."""

from __future__ import annotations

import ast
import io
import itertools
import linecache
import re
import tokenize
import traceback
import warnings
from dataclasses import dataclass
from types import CodeType

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_numbers = itertools.count(1)
_SHELL = re.compile(r"\s*(?:\w[\w, ]*=\s*)?(!|%{1,2}\w)|.*[^#\s]\?{1,2}\s*$|\s*\?{1,2}\w")


class SourceError(Exception):
    """Code that cannot be run as it is written. The message is what is told."""


@dataclass(frozen=True)
class Source:
    """Code that compiled.

    Args:
        filename: the name that tracebacks give it, e.g. ``<REPL 3>``.
        body: its statements. last: its last expression, ``None`` where there is none.
        quiet: the last expression ends with a semicolon: its value is not shown.
    """

    filename: str
    body: CodeType
    last: CodeType | None = None
    quiet: bool = False


def read_source(code: str) -> Source:
    """Compile code. Its lines are kept for tracebacks and ``inspect.getsource``, as long as the process lives.

    Raises:
        SourceError: a syntax error, shown as Python shows it, or a line of the shell (``!ls``, ``%cd``), which is no
            Python: a command is a matter of Bash and its rules.
    """
    filename = f"<REPL {next(_numbers)}>"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(code, filename)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            body = compile(tree, filename, "exec", FLAGS, dont_inherit=True)
            value = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
            compiled = compile(value, filename, "eval", FLAGS, dont_inherit=True) if value is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SourceError(_said(error, code)) from None
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    return Source(filename, body, compiled, compiled is not None and _ends_with_semicolon(code))


def _said(error: Exception, code: str) -> str:
    line = _line(code, error.lineno) if isinstance(error, SyntaxError) else ""
    if _SHELL.match(line):
        return (
            f"`{line.strip()[:200]}` is a line for IPython, and this is plain Python (with await at the top). "
            "Run commands with Bash, where its permission rules hold; instead of a magic call what it stands for"
        )
    return "".join(traceback.format_exception_only(error)).rstrip("\n")


def _line(code: str, number: int | None) -> str:
    lines = code.splitlines()
    return lines[number - 1] if number is not None and 0 < number <= len(lines) else ""


def _ends_with_semicolon(code: str) -> bool:
    """Whether the last token of the code, comments aside, is a semicolon."""
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.DEDENT)
    try:
        tokens = [t for t in tokenize.generate_tokens(io.StringIO(code).readline) if t.type not in skipped]
    except (tokenize.TokenError, SyntaxError):
        return False
    return bool(tokens) and tokens[-1].string == ";"
