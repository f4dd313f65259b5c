"""InspectVariable: what variables are, without running any code of theirs, in time, and without their secrets."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Outcome, Session
from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.tools.inspect_variable import inspect_variable_tool
from jupyter_agenttools.tools.inspect_variable import tool as tool_module
from jupyter_agenttools.tools.inspect_variable.describe import MAX_TEXT_CHARS, describe
from jupyter_agenttools.tools.inspect_variable.paths import read_path
from jupyter_agenttools.tools.inspect_variable.texts import value_text

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    made = Session(cwd=tmp_path)
    yield made
    await made.aclose()


async def inspect(session: Session, variables: dict[str, Any], name: str | None = None, **fields: Any) -> Outcome:
    session.interpreter.namespace.update(variables)
    return await session.call("InspectVariable", {**({"name": name} if name is not None else {}), **fields})


class Tripwire:
    """Whatever is asked of it, it tells."""

    touched: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        Tripwire.touched.append(name)
        return object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> Any:
        Tripwire.touched.append(name)
        raise AttributeError(name)

    def __repr__(self) -> str:
        Tripwire.touched.append("repr")
        return "touched"

    def __len__(self) -> int:
        Tripwire.touched.append("len")
        return 3

    def __eq__(self, other: object) -> bool:
        Tripwire.touched.append("eq")
        return True

    __hash__ = object.__hash__
    __str__ = __repr__
    __iter__ = __bool__ = __getitem__ = __format__ = None  # type: ignore[assignment]

    @property
    def boom(self) -> str:
        Tripwire.touched.append("boom")
        return "touched"


class OwnDict(dict):  # type: ignore[type-arg]
    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("touched")

    __iter__ = items = keys = __len__ = __repr__ = __getitem__  # type: ignore[assignment]


class OwnText(str):
    def __repr__(self) -> str:
        raise AssertionError("touched")

    __len__ = __str__ = __repr__  # type: ignore[assignment]


async def test_no_code_of_the_persons_is_run(session: Session) -> None:
    Tripwire.touched.clear()
    wire = object.__new__(Tripwire)
    object.__getattribute__(wire, "__dict__")["plain"] = 5
    Tripwire.touched.clear()
    variables = {"wire": wire, "own": OwnDict(a=1), "text": OwnText("x"), "many": [wire, {"in": wire}]}
    for name in (None, "wire", "wire.plain", "own", "text", "many", "many[1]['in']"):
        outcome = await inspect(session, variables, name)
        assert outcome.status == "ok" and "touched" not in outcome.text, outcome
    for name in ("wire.boom", "wire.nothing", "wire[0]", "own['a']"):
        refused = await inspect(session, variables, name)
        assert refused.error.check_id in ("inspect-runs-code", "inspect-nothing-there")
    assert Tripwire.touched == []


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("n", 3, "n: int\n3"),
        ("t", "a\nb", "'a\\nb'"),
        ("l", list(range(100)), "… 70 more"),
        ("d", {"a": {"b": [1, 2]}}, "{'a': {'b': [1, 2]}}"),
        ("s", {1}, "{1}"),
        ("none", None, "NoneType"),
        ("f", lambda x, y=[1], *a, z=2, **k: 0, "(x, y=[1], *a, z=2, **k)"),
    ],
)
async def test_pythons_own_kinds(session: Session, name: str, value: Any, words: str) -> None:
    outcome = await inspect(session, {name: value}, name)
    assert outcome.status == "ok" and words in outcome.text, outcome.text


async def test_a_number_too_long_to_write(session: Session) -> None:
    assert "bits" in (await inspect(session, {"big": 10**5_000}, "big")).text


async def test_paths_lead_into_things(session: Session) -> None:
    variables = {"conf": {"db": {"port": 1, 2: "two"}, "rows": [("a", "b")]}}
    for path, words in [("conf['db']['port']", "int\n1"), ("conf['db'][2]", "two"), ("conf['rows'][0][-1]", "'b'")]:
        assert words in (await inspect(session, variables, path)).text
    several = await inspect(session, variables, "conf['db'], conf['rows']")
    assert len(several.output.variables) == 2


@pytest.mark.parametrize(
    "text", ["f()", "a + b", "a[b]", "a[1:2]", "[x for x in y]", "a.b()", "'text'", "a[f'x']", "1", "a[-x]"]
)
def test_what_needs_code_is_no_path(text: str) -> None:
    with pytest.raises(ToolValidationError, match="REPL"):
        read_path(text)


@given(st.text(max_size=40))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        path = read_path(text)
    except ToolValidationError:
        return
    assert path.name.isidentifier()


@pytest.mark.parametrize("name", ["nothing", "d['b']", "d.x", "l[9]", "l['a']", "__import__('os')", "d[" * 40])
async def test_what_is_not_there_is_said(session: Session, name: str) -> None:
    outcome = await inspect(session, {"d": {"a": 1}, "l": [1]}, name)
    assert outcome.status == "error" and outcome.error.check_id.startswith("inspect-")


async def test_secrets_are_named_and_not_told(session: Session) -> None:
    secret = "hunter2hunter2"
    variables = {"API_KEY": secret, "conf": {"password": secret, "port": 1}, "holder": type("H", (), {})()}
    variables["holder"].token = secret  # type: ignore[attr-defined]
    for name in (None, "API_KEY", "conf", "conf['password']", "holder", "holder.token"):
        outcome = await inspect(session, variables, name)
        assert outcome.status == "ok" and secret not in outcome.text and "hidden" in outcome.text, name
    shaped = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert shaped not in (await inspect(session, {"harmless": [shaped]}, "harmless")).text


async def test_the_list_leaves_out_what_is_not_the_persons(session: Session) -> None:
    outcome = await inspect(session, {"x": 1, "_x": 2, "time": time, "In": [], "y": "text"})
    assert [row[0] for row in outcome.output.listed] == ["x", "y"]


async def test_a_table_of_pandas(session: Session) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": range(1000), "t": ["x"] * 1000, "api_key": ["secret words"] * 1000})
    said = (await inspect(session, {"df": frame}, "df", rows=2)).text
    for words in ("1,000 rows × 3 columns", "n: int64", "memory", "0  x"):
        assert words in said
    assert "secret words" not in said and "\n2  " not in said
    assert "secret words" not in (await inspect(session, {"df": frame}, "df['api_key'], df.api_key")).text
    assert "999" not in (await inspect(session, {"df": frame}, "df.n")).text
    wide = pandas.DataFrame([[0] * 500])
    assert "440 more columns" in (await inspect(session, {"wide": wide}, "wide")).text
    assert (await inspect(session, {"none": pandas.DataFrame()}, "none")).status == "ok"


async def test_an_array_of_numpy(session: Session) -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(12.0).reshape(3, 4)
    array[0, 0] = numpy.nan
    said = (await inspect(session, {"a": array}, "a")).text
    for words in ("(3, 4)", "float64", "96 bytes", "1.0 to 11.0", "NaN: 1"):
        assert words in said
    assert "(3, 4)" in (await inspect(session, {"a": array}, "a.shape")).text
    objects = numpy.empty(1, dtype=object)
    objects[0] = object.__new__(Tripwire)
    Tripwire.touched.clear()
    assert (await inspect(session, {"o": objects}, "o")).status == "ok" and Tripwire.touched == []


async def test_a_table_of_polars(session: Session) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"n": [1, 2], "password": ["secret words", "x"]})
    said = (await inspect(session, {"pf": frame}, "pf")).text
    assert "2 rows × 2 columns" in said and "n: Int64" in said and "secret words" not in said


async def test_what_takes_for_ever_is_stopped(session: Session, monkeypatch: Any) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(tool_module, "LIMIT_S", 0.3)

    class Slow:
        def __repr__(self) -> str:
            while True:
                pass

        __str__ = __repr__

    began = time.monotonic()
    outcome = await inspect(session, {"slow": pandas.Series([Slow()])}, "slow")
    assert outcome.status == "error" and outcome.error.check_id == "inspect-slow" and time.monotonic() - began < 5
    assert (await inspect(session, {"x": 1}, "x")).status == "ok"


async def test_what_raises_is_told_as_its_own_fault(session: Session) -> None:
    pandas = pytest.importorskip("pandas")

    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

        __str__ = __repr__

    outcome = await inspect(session, {"broken": pandas.Series([Broken()])}, "broken")
    assert outcome.status in ("ok", "error") and "InternalError" not in outcome.text


def test_nothing_is_too_big() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for value in ("x" * 10**7, list(range(10**6)), {n: "y" * 999 for n in range(10**4)}, loop, b"z" * 10**7):
        assert len(describe("v", value, 5).text) <= MAX_TEXT_CHARS + 100


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
)


@given(VALUES)
def test_every_value_has_a_text(value: Any) -> None:
    assert isinstance(value_text(value), str)


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [({}, "allow"), ({"deny": ["InspectVariable"]}, "deny"), ({"deny": ["InspectVariable(secret*)"]}, "deny"),
     ({"defaultMode": "plan"}, "allow"), ({"ask": ["InspectVariable"]}, "deny")],
)  # fmt: skip
async def test_it_only_looks_and_rules_still_win(tmp_path: Path, permissions: dict[str, Any], expected: str) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": permissions})
    behavior = (await session.decide("InspectVariable", {"name": "secret_plan"})).behavior
    assert (behavior if behavior != "ask" else "deny") == expected
    assert inspect_variable_tool.is_read_only(None)
