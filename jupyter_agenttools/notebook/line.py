"""What does the text of a ``%tool`` line ask for?"""

from __future__ import annotations

import difflib
import io
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..core.errors import UsageError
from ..core.schema import describe_fields
from ..core.tool import Tool
from .options import take_options

TOOL_OPTIONS: Mapping[str, str] = {
    "--json": "the input is a JSON object (after the name, or in the cell)",
    "--explain": "say what the gate would decide and why; nothing runs",
    "--step": "stop after each stage",
    "--trace": "show the walk of the last call",
    "--help": "show help",
}

_FIELD = re.compile(r"(-{0,2}[^\W\d][\w-]*)=")
_LATER_FIELD = re.compile(rf"(?<=\s){_FIELD.pattern}")
_QUOTED = re.compile(r"""(?<!\S)("[^"]*"|'[^']*')""")


@dataclass(frozen=True)
class ToolLine:
    """A ``%tool`` line, read.

    Args:
        name: the tool's name as it was written, ``""`` for none.
        rest: everything after the name, exactly.
        as_json, explain, step, trace, help: the options.
    """

    name: str = ""
    rest: str = ""
    as_json: bool = False
    explain: bool = False
    step: bool = False
    trace: bool = False
    help: bool = False


def parse_tool_line(text: str) -> ToolLine:
    """Which tool and options does this line name?

    Raises:
        UsageError: an option that does not exist.
    """
    options, rest = take_options("%tool", text, TOOL_OPTIONS)
    name, _, after = _split_word(rest)
    line = ToolLine(
        name=name,
        rest=after,
        as_json="--json" in options,
        explain="--explain" in options,
        step="--step" in options,
        trace="--trace" in options,
        help="--help" in options,
    )
    return _options_after_name(line)


def _split_word(text: str) -> tuple[str, str, str]:
    """The first word, the blanks after it, and the rest."""
    stripped = text.lstrip()
    match = re.match(r"(\S*)(\s*)(.*)", stripped, re.DOTALL)
    assert match is not None
    return match.group(1), match.group(2), match.group(3)


def _options_after_name(line: ToolLine) -> ToolLine:
    """``Name --help``, ``Name?`` and ``Name --json {…}``: the two options that may also follow the name."""
    if line.name.endswith("?"):
        return replace(line, name=line.name.rstrip("?"), help=True)
    word, _, after = _split_word(line.rest)
    if word in ("--help", "?", "??") and not after:
        return replace(line, rest="", help=True)
    if word == "--json":
        return replace(line, rest=after, as_json=True)
    return line


def build_input(tool: Tool, line: ToolLine, body: str | None = None) -> dict[str, Any]:
    """The raw input of a call: fields, plain text for the tool's primary field, the cell's body for its body field.

    Args:
        tool: the tool that the line names.
        line: the line.
        body: the cell's text below a ``%%tool`` line; the one newline that a notebook puts at its end is taken off.

    Raises:
        UsageError: bad JSON, an unknown field, text with no field to go to, or text in two places.
    """
    body = None if body is None else body.removesuffix("\n")
    if line.as_json:
        return _json_input(tool, line, body)
    given, text = _leading_fields(tool, line.rest)
    if text and body and tool.body_field == tool.primary_field:
        raise UsageError(f"%%tool {tool.name}: text on the line ({_cut(text)}) and in the cell; keep one of them")
    if text:
        _refuse_late_field(tool, line.rest, text)
        given = _with_text(tool, given, tool.primary_field, unquote(text))
    if body or (body is not None and not given):
        given = _with_text(tool, given, tool.body_field, body)
    return given


def _json_input(tool: Tool, line: ToolLine, body: str | None) -> dict[str, Any]:
    in_cell, on_line = (body or "").strip(), line.rest.strip()
    if in_cell and on_line:
        raise UsageError(f"%%tool --json {tool.name}: JSON on the line and in the cell; keep one of them")
    try:
        value = json.loads(in_cell or on_line or "{}")
    except ValueError as error:
        raise UsageError(f"%tool --json {tool.name}: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"%tool --json {tool.name}: the input is a JSON object, not {_cut(json.dumps(value))}")
    return value


def _leading_fields(tool: Tool, text: str) -> tuple[dict[str, Any], str]:
    """The ``field=value`` words at the start of ``text``, and what comes after them."""
    schema = tool.json_schema
    properties: Mapping[str, Any] = schema.get("properties", {})
    given: dict[str, Any] = {}
    position = _skip_blanks(text, 0)
    while match := _FIELD.match(text, position):
        name = match.group(1)
        if name not in properties:
            _refuse_misspelt(tool, name, given)
            break
        if name in given:
            raise UsageError(f"%tool {tool.name}: `{name}=` is given twice")
        word, position = _shell_word(tool, text, match.end())
        given[name] = _typed(word, properties[name], schema)
        position = _skip_blanks(text, position)
    return given, text[position:]


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _shell_word(tool: Tool, text: str, start: int) -> tuple[str, int]:
    """The shell word that begins at ``start`` (with its quotes taken off), and where it ends."""
    if start == len(text) or text[start].isspace():
        return "", start
    stream = io.StringIO(text[start:])
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        word = lexer.get_token()
    except ValueError as error:
        raise UsageError(f"%tool {tool.name}: {str(error).lower()} in {_cut(text[start:])}") from None
    read = stream.tell()
    ends_with_blank = text[start + read - 1].isspace() if read else False
    return word or "", start + read - (1 if ends_with_blank and start + read <= len(text) else 0)


def _refuse_misspelt(tool: Tool, name: str, given: Mapping[str, Any]) -> None:
    """Stop at a word that can only be meant as a field; commands may begin with ``NAME=value`` themselves."""
    properties = tool.json_schema.get("properties", {})
    no_place_for_text = tool.primary_field is None or tool.primary_field in given
    near = difflib.get_close_matches(name, list(properties), n=1)
    if no_place_for_text or (near and tool.rule_family != "command"):
        hint = f" Did you mean `{near[0]}=`?" if near else ""
        raise UsageError(f"%tool {tool.name}: `{name}` is not a field.{hint} Fields: {describe_fields(tool)}.")


def _refuse_late_field(tool: Tool, rest: str, text: str) -> None:
    """Stop at a field that comes after the text and would be taken for a part of it. A command may hold such words;
    elsewhere quotes keep them."""
    if tool.rule_family == "command" or tool.primary_field is None:
        return
    properties = tool.json_schema.get("properties", {})
    outside = _QUOTED.sub(lambda quoted: "'" * len(quoted.group()), text)
    late = next((match for match in _LATER_FIELD.finditer(outside) if match.group(1) in properties), None)
    if late is None:
        return
    before, after = text[: late.start()].strip(), text[late.start() :].strip()
    named = f"{rest[: len(rest) - len(text)]}{tool.primary_field}={shlex.quote(unquote(before))} {after}"
    raise UsageError(
        f"%tool {tool.name}: `{late.group(1)}=` comes after text, and would be a part of it. "
        f"Write `%tool {tool.name} {named}`, or put quotes around all of the text."
    )


def _typed(word: str, spec: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """The value that a word spells for a field. What is no JSON stays text, and the schema then says what it wants."""
    if _takes_text(spec, schema):
        return word
    try:
        return json.loads(word)
    except ValueError:
        return word


def _takes_text(spec: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    if "$ref" in spec:
        return _takes_text(schema.get("$defs", {}).get(str(spec["$ref"]).rsplit("/", 1)[-1], {}), schema)
    for union in ("anyOf", "oneOf", "allOf"):
        if union in spec:
            return any(_takes_text(part, schema) for part in spec[union])
    if "enum" in spec:
        return all(isinstance(value, str) for value in spec["enum"])
    if "const" in spec:
        return isinstance(spec["const"], str)
    kind = spec.get("type")
    return kind == "string" or (not isinstance(kind, str) and kind is not None and "string" in kind)


def unquote(text: str) -> str:
    """``text`` without its quotes when the whole of it is one quoted shell word that holds blanks."""
    bare = text.strip()
    if len(bare) < 2 or bare[0] not in "'\"" or bare[-1] != bare[0]:
        return text
    try:
        words = shlex.split(bare)
    except ValueError:
        return text
    return words[0] if len(words) == 1 and any(c.isspace() for c in words[0]) else text


def _with_text(tool: Tool, given: dict[str, Any], field: str | None, text: str) -> dict[str, Any]:
    if field is None:
        if not text.strip():
            return given
        fields = describe_fields(tool)
        raise UsageError(f"%tool {tool.name}: takes no plain text ({_cut(text)}); write field=value. Fields: {fields}.")
    if field in given:
        raise UsageError(f"%tool {tool.name}: `{field}` is given twice: as a field, and as the text {_cut(text)}")
    properties = tool.json_schema.get("properties", {})
    return {**given, field: _typed(text, properties.get(field, {"type": "string"}), tool.json_schema)}


def _cut(text: str, limit: int = 40) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")
