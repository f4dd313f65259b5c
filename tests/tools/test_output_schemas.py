"""Schemas and answers that were made to do harm: nothing hangs, nothing is fetched, nothing is taken unchecked."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core import Cancellation, ToolUse, build_tool, schema_process
from jupyter_agenttools.core.errors import InputValidationError, InterruptedToolError, UsageError
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.models import ScriptedModel
from jupyter_agenttools.tools.synthetic_output import (
    check_output_schema,
    create_synthetic_output_tool,
    schema_problems,
)

pytestmark = pytest.mark.anyio

SLOW_PATTERN = {"type": "string", "pattern": "^(a+)+$"}
SLOW_TEXT = "a" * 60 + "!"
ANYTHING_BUT_QUICK = {
    "$ref": "#/$defs/d12",
    "$defs": {
        "d0": {"type": "integer"},
        **{f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 10} for n in range(1, 13)},
    },
}


@pytest.fixture
def short(monkeypatch: Any) -> None:
    monkeypatch.setattr(schema_process, "CHECK_SECONDS", 0.5)


@pytest.mark.parametrize("schema", [SLOW_PATTERN, ANYTHING_BUT_QUICK], ids=["pattern", "branches"])
async def test_what_takes_too_long_is_not_taken_and_stops_nothing(tmp_path: Path, short: None, schema: Any) -> None:
    session, ticks = Session(cwd=tmp_path), 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await anyio.sleep(0.01)

    model = ScriptedModel([[ToolUse("SyntheticOutput", {"output": SLOW_TEXT})], f'"{SLOW_TEXT}"'])
    async with anyio.create_task_group() as group:
        group.start_soon(tick)
        updates = [each async for each in session.query("x", model=model, output_schema=schema)]
        group.cancel_scope.cancel()
    assert updates[-1].structured_output is None and "longer than" in session.outcomes[0].text
    assert session.outcomes[0].status != "ok" and ticks > 30
    assert not schema_problems(3, {"type": "integer"})


def test_a_check_can_be_stopped() -> None:
    cancellation = Cancellation()
    timer = threading.Timer(0.3, cancellation.cancel)
    schema_problems(1, {})  # the process runs
    timer.start()
    began = time.monotonic()
    with pytest.raises(InterruptedToolError):
        schema_process.problems_of_value(SLOW_TEXT, SLOW_PATTERN, cancellation)
    assert time.monotonic() - began < 3


def test_a_process_that_died_is_replaced() -> None:
    assert not schema_problems(1, {})
    schema_process._CHECKER._process.kill()
    schema_process._CHECKER._process.wait()
    assert schema_problems("x", {"type": "integer"}) == ("output: 'x' is not of type 'integer'",)


def test_data_that_is_too_deep_does_not_fit() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert "could not be checked" in schema_problems(deep, {})[0]
    assert "could not be checked" in schema_problems({1, 2}, {})[0]


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"$ref": "#"}, "its top: it refers to itself|refers to itself"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "to itself"),
        ({"properties": {"p": {"anyOf": [{"$ref": "#/properties/p"}]}}}, "properties/p.*to itself"),
        ({"$dynamicRef": "#x", "$dynamicAnchor": "x"}, "to itself"),
        ({"$ref": "#/nope"}, r"at \$ref: there is no schema at '#/nope'"),
        ({"items": {"$ref": "#nope"}}, r"items/\$ref: there is no"),
        (nested(3_000), "deeper than"),
        ({"$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(2_000)} | {"d2000": {}}}, "in a row"),
        ({"properties": {"a": {"$dynamicRef": "file:///etc/passwd"}}}, "file:///etc/passwd"),
        ({"$recursiveRef": "http://localhost/x"}, "localhost"),
        ({"const": {"$ref": "http://localhost/x"}, "not": {"$ref": "#/const"}}, "localhost"),
        ({"$schema": "http://localhost/dialect"}, "not known"),
        ({"items": {"$id": "http://localhost/x", "$ref": "#y"}}, "only the top"),
        ({"pattern": "("}, "pattern"),
        ({"const": object()}, "no JSON data"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_with_its_place(schema: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_output_schema(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"$ref": {"type": "string"}, "id": {"type": "string"}, "const": {"type": "integer"}}},
        {"properties": {"child": {"$ref": "#"}}, "$id": "https://example.org/tree"},
        {"enum": [{"$ref": "http://localhost/x", "$id": "y"}]},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#/definitions/a~1b"},
         "definitions": {"a/b": True}},
        {"items": {"$ref": "#here"}, "$defs": {"a": {"$anchor": "here", "type": "string"}}},
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_taken(schema: Any) -> None:
    check_output_schema(schema)


def test_nothing_is_fetched_by_a_schema_that_nobody_looked_through(tmp_path: Path) -> None:
    asked: list[str] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kept = tmp_path / "kept.json"
    kept.write_text("{}")
    for target in (f"http://127.0.0.1:{server.server_port}/x", kept.as_uri()):
        for schema in ({"$ref": target}, {"$dynamicRef": target}, {"$id": target, "items": {"$ref": "y"}}):
            assert "could not be checked" in schema_problems([1], schema)[0]
    server.shutdown()
    server.server_close()
    assert not asked


def test_a_schema_that_refers_to_its_top_keeps_its_meaning() -> None:
    tree = {"$id": "https://example.org/t", "type": "array", "items": {"$ref": "#"}}
    given = create_synthetic_output_tool(tree).json_schema
    assert not schema_problems({"output": [[], [[]]]}, given)
    assert schema_problems({"output": [[1]]}, given) == ("output/0/0: 1 is not of type 'array'",)


def test_any_tool_with_a_schema_of_its_own_is_bounded(short: None) -> None:
    async def call(input: Any, context: Any) -> Any:
        raise AssertionError

    schema = {"type": "object", "properties": {"a": SLOW_PATTERN}}
    tool = build_tool(name="Foreign", call=call, input_json_schema=schema, description="x")
    with pytest.raises(InputValidationError, match=r"could not be checked .* longer than"):
        parse_input(tool, {"a": SLOW_TEXT})
