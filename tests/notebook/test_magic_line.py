"""Reading ``%tool`` lines."""

from __future__ import annotations

import json
import shlex
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from jupyter_agenttools.core import StrictInput, build_tool
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.tool import Tool
from jupyter_agenttools.notebook.line import ToolLine, build_input, parse_tool_line, unquote


class Colour(Enum):
    red = "red"


class ReadInput(StrictInput):
    file_path: str
    limit: int | None = None
    tags: list[str] = Field(default_factory=list)
    mode: Literal["fast", "slow"] = "fast"
    colour: Colour | None = None
    either: int | str = 0


class BashInput(StrictInput):
    command: str
    timeout: int | None = None


class CountInput(StrictInput):
    number: int


async def _nothing(input: Any, context: Any) -> None: ...


READ = build_tool(name="Read", call=_nothing, input_model=ReadInput, primary_field="file_path")
BASH = build_tool(name="Bash", call=_nothing, input_model=BashInput, primary_field="command", rule_family="command")
COUNT = build_tool(name="Count", call=_nothing, input_model=CountInput, primary_field="number")
BARE = build_tool(name="Bare", call=_nothing, input_model=ReadInput)


def read(tool: Tool, text: str, body: str | None = None) -> dict[str, Any]:
    return build_input(tool, parse_tool_line(text), body)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ToolLine()),
        ("Read a b", ToolLine("Read", "a b")),
        ("  Read   a  b ", ToolLine("Read", "a  b ")),
        ("--explain --json Read {}", ToolLine("Read", "{}", explain=True, as_json=True)),
        ("--trace", ToolLine(trace=True)),
        ("--step Bash ls", ToolLine("Bash", "ls", step=True)),
        ("Read --help", ToolLine("Read", help=True)),
        ("--help Read", ToolLine("Read", help=True)),
        ("--help", ToolLine(help=True)),
        ("Read?", ToolLine("Read", help=True)),
        ("Read ??", ToolLine("Read", help=True)),
        ('Read --json {"file_path": "a"}', ToolLine("Read", '{"file_path": "a"}', as_json=True)),
        ("Read --json", ToolLine("Read", "", as_json=True)),
        ("Bash --help me", ToolLine("Bash", "--help me")),
        ("Bash echo what?", ToolLine("Bash", "echo what?")),
        ("Bash --step", ToolLine("Bash", "--step")),
    ],
)
def test_name_and_options(text: str, line: ToolLine) -> None:
    assert parse_tool_line(text) == line


def test_an_unknown_option_says_which_there_are() -> None:
    with pytest.raises(
        UsageError, match=r"unknown option --expalin\. Did you mean --explain\? Options: --json, --explain"
    ):
        parse_tool_line("--expalin Read a")
    with pytest.raises(UsageError, match="--step takes no value"):
        parse_tool_line("--step=1 Read a")


@pytest.mark.parametrize(
    ("text", "input"),
    [
        ("Read README.md", {"file_path": "README.md"}),
        ("Read file_path=README.md limit=20", {"file_path": "README.md", "limit": 20}),
        ("Read limit=20 my file.md", {"limit": 20, "file_path": "my file.md"}),
        ("Read 'my file.md'", {"file_path": "my file.md"}),
        ("Read 'file.md'", {"file_path": "'file.md'"}),
        ("Read file_path='a b.md' limit=1", {"file_path": "a b.md", "limit": 1}),
        ("Read file_path=20", {"file_path": "20"}),
        ("Read limit=null x", {"limit": None, "file_path": "x"}),
        ("Read limit=many x", {"limit": "many", "file_path": "x"}),
        ("""Read tags='["a", "b"]' x""", {"tags": ["a", "b"], "file_path": "x"}),
        ("Read mode=slow x", {"mode": "slow", "file_path": "x"}),
        ("Read colour=red x", {"colour": "red", "file_path": "x"}),
        ("Read either=5 x", {"either": "5", "file_path": "x"}),
        ("Read file_path= limit=3", {"file_path": "", "limit": 3}),
        ('Read file_path=a"b c"d', {"file_path": "ab cd"}),
        ("Read 'README.md limit=20'", {"file_path": "README.md limit=20"}),
        ("Read README.md what=20", {"file_path": "README.md what=20"}),
        ("Read README.md?limit=20", {"file_path": "README.md?limit=20"}),
        ("Read a 'b limit=20' c", {"file_path": "a 'b limit=20' c"}),
        ("Read", {}),
        ("Count 12", {"number": 12}),
    ],
)
def test_fields_and_text(text: str, input: dict[str, Any]) -> None:
    tool = COUNT if text.startswith("Count") else READ
    assert read(tool, text) == input


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Bash ls -la", "ls -la"),
        ("Bash FOO=1 make", "FOO=1 make"),
        ("Bash commando=1 make", "commando=1 make"),
        ("Bash echo $HOME {x} 'a  b'", "echo $HOME {x} 'a  b'"),
        ('Bash "rm -rf build"', "rm -rf build"),
        ('Bash "echo" "a b"', '"echo" "a b"'),
        ("Bash 'it'\"'\"'s a b'", "it's a b"),
        ("Bash timeout=5 sleep 9", "sleep 9"),
        ("Bash echo a=b", "echo a=b"),
        ("Bash curl  -d timeout=5 command=x", "curl  -d timeout=5 command=x"),
        ("Bash command='a b' ", "a b"),
    ],
)
def test_commands_stay_as_they_were_typed(text: str, command: str) -> None:
    assert read(BASH, text)["command"] == command


def test_the_body_of_a_cell_loses_one_newline_only() -> None:
    assert read(BASH, "Bash", "a 'b'\n\n\\x\n\n") == {"command": "a 'b'\n\n\\x\n"}
    assert read(BASH, "Bash timeout=5", '"a b"\n') == {"timeout": 5, "command": '"a b"'}
    assert read(BASH, "Bash", "") == {"command": ""}
    assert read(BASH, "Bash ls", "") == {"command": "ls"}
    assert read(READ, "Read --json", '{"file_path": "a"}\n') == {"file_path": "a"}


@pytest.mark.parametrize(
    ("tool", "text", "body", "message"),
    [
        (READ, "Read limits=3 x", None, r"`limits` is not a field\. Did you mean `limit=`\? Fields: file_path"),
        (READ, "Read file_path=x what=3", None, "`what` is not a field"),
        (READ, "Read file_path=x limit=1 limit=2", None, "`limit=` is given twice"),
        (READ, "Read file_path=x y", None, "`file_path` is given twice"),
        (READ, "Read file_path='x", None, "no closing quotation"),
        (BARE, "Bare some text", None, r"takes no plain text \('some text'\); write field=value"),
        (BASH, "Bash ls", "rm\n", "text on the line .* and in the cell"),
        (READ, "Read --json {", None, "not JSON"),
        (READ, "Read --json [1]", None, "a JSON object, not"),
        (READ, "Read --json {}", "{}", "keep one of them"),
    ],
)
def test_mistakes_are_told_in_one_line(tool: Tool, text: str, body: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        read(tool, text, body)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("README.md limit=20", "%tool Read file_path=README.md limit=20"),
        ("mode=slow my file.md limit=20", "%tool Read mode=slow file_path='my file.md' limit=20"),
        ("'my file.md' limit=20 mode=fast", "%tool Read file_path='my file.md' limit=20 mode=fast"),
        ("it's.md limit=20 isn't it", """%tool Read file_path='it'"'"'s.md' limit=20 isn't it"""),
        ("README.md file_path=b", "%tool Read file_path=README.md file_path=b"),
    ],
)
def test_a_field_after_the_text_is_not_swallowed(text: str, form: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(READ, f"Read {text}")
    assert f"Write `{form}`, or put quotes around all of the text." in str(caught.value)


@given(st.text())
def test_any_body_is_the_primary_field(body: str) -> None:
    assert read(BASH, "Bash", body + "\n") == {"command": body}


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda t: t.strip()))
def test_any_value_survives_quoting(value: str) -> None:
    assert read(READ, f"Read file_path={shlex.quote(value)} limit=7") == {"file_path": value, "limit": 7}


@given(st.text())
def test_no_line_crashes(text: str) -> None:
    try:
        line = parse_tool_line(text)
        built = build_input(READ, line)
    except UsageError as error:
        assert str(error)
    else:
        json.dumps(built)


@given(st.text())
def test_quotes_come_off_only_around_blanks(text: str) -> None:
    bare = unquote(text)
    assert bare == text or any(c.isspace() for c in bare)
