"""Changing a settings text: the right value comes out, and whatever else was in the text is still there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.settings.jsonc import TextFault, parse_jsonc
from jupyter_agenttools.settings.splice import AddItems, PutValue, RemoveItems, splice

ALLOW = ("permissions", "allow")


def added(text: str, *rules: str) -> str:
    return splice(text, [AddItems(ALLOW, rules)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "permissions": {\n    "allow": [\n      "N"\n    ]\n  }\n}\n'),
        ("// mine", '// mine\n{\n  "permissions": {\n    "allow": [\n      "N"\n    ]\n  }\n}\n'),
        ('{"permissions": {"allow": ["A"]}}', '{"permissions": {"allow": ["A", "N"]}}'),
        ('{"permissions": {}}', '{"permissions": {"allow": ["N"]}}'),
        ('{"a": 1}\n', '{"a": 1, "permissions": {"allow": ["N"]}}\n'),
        (
            '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"A" // why\n\t\t]\n\t}\n}',
            '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"A", // why\n\t\t\t"N"\n\t\t]\n\t}\n}',
        ),
        (
            '{\n  "permissions": {\n    "allow": [\n      "A", /* b */ // c\n    ],\n  },\n}',
            '{\n  "permissions": {\n    "allow": [\n      "A", /* b */ // c\n      "N",\n    ],\n  },\n}',
        ),
        (
            '{\r\n  "permissions": {\r\n    "allow": [\r\n      // none\r\n    ]\r\n  }\r\n}\r\n',
            '{\r\n  "permissions": {\r\n    "allow": [\r\n      // none\r\n      "N"\r\n    ]\r\n  }\r\n}\r\n',
        ),
        (
            '{\n  "permissions": {"allow": ["A",\n                 "B"]}\n}',
            '{\n  "permissions": {"allow": ["A",\n                 "B",\n                 "N"]}\n}',
        ),
    ],
)
def test_a_rule_is_put_where_a_person_would_put_it(before: str, after: str) -> None:
    assert added(before, "N") == after
    assert added(after, "N") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"permissions": {"allow": ["A", "R", "B"]}}', '{"permissions": {"allow": ["A", "B"]}}'),
        ('{"permissions": {"allow": ["A", "R"]}}', '{"permissions": {"allow": ["A"]}}'),
        ('{"permissions": {"allow": ["R", "R"]}}', '{"permissions": {"allow": []}}'),
        (
            '{"permissions": {"allow": [\n  "A",\n  "R", // why\n  "B"\n]}}',
            '{"permissions": {"allow": [\n  "A",\n  // why\n  "B"\n]}}',
        ),
        ('{"permissions": {"allow": [\n  "A",\n  "R"\n]}}', '{"permissions": {"allow": [\n  "A"\n]}}'),
        ('{"permissions": {"deny": ["R"]}}', '{"permissions": {"deny": ["R"]}}'),
    ],
)
def test_a_rule_is_taken_out(before: str, after: str) -> None:
    assert splice(before, [RemoveItems(ALLOW, ("R",))]) == after


def test_a_value_is_put_in_the_place_of_another() -> None:
    text = '{\n  // how\n  "permissions": {"defaultMode": "plan" /* now */}\n}\n'
    put = PutValue(("permissions", "defaultMode"), "default")
    assert splice(text, [put]) == text.replace("plan", "default")
    assert splice(text, [PutValue(("cleanupPeriodDays",), 3)]) == text.replace(
        "*/}\n", '*/},\n  "cleanupPeriodDays": 3\n'
    )


@pytest.mark.parametrize("text", ['{"permissions": 1}', '{"permissions": {"allow": 1}}', "[]", '"x"'])
def test_a_value_of_another_kind_is_not_written_over(text: str) -> None:
    with pytest.raises(TypeError, match=r"`.*` is not"):
        added(text, "N")


# ---- whatever a person wrote

keys = st.text(st.characters(codec="utf-8"), max_size=4) | st.sampled_from(["a", "b"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | keys,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
rules = st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=4)
documents = st.fixed_dictionaries(
    {},
    optional={
        "x": values,
        "permissions": st.fixed_dictionaries({}, optional={"allow": rules, "deny": rules, "y": values}),
        "z": values,
    },
)
BLANKS = ["", " ", "\n", "\n  ", "\t", "\r\n", " // c,]}\n", "/* c,\n] */", ' /* "x" */ ']


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, Any, list[str]]:
    """A document with blanks, comments and commas wherever they may be; its value, and its comments."""
    document = draw(documents)
    comments: list[str] = []

    def blank() -> str:
        chosen = draw(st.sampled_from(BLANKS))
        comments.extend(filter(None, [chosen.strip()]))
        return chosen

    def write(value: Any) -> str:
        if isinstance(value, dict):
            parts = [f"{blank()}{json.dumps(k)}{blank()}:{blank()}{write(v)}{blank()}" for k, v in value.items()]
            return "{" + ",".join(parts) + (f",{blank()}" if parts and draw(st.booleans()) else blank()) + "}"
        if isinstance(value, list):
            parts = [f"{blank()}{write(v)}{blank()}" for v in value]
            return "[" + ",".join(parts) + (f",{blank()}" if parts and draw(st.booleans()) else blank()) + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    return f"{blank()}{write(document)}{blank()}", document, comments


def subsequence(small: str, big: str) -> bool:
    rest = iter(big)
    return all(sign in rest for sign in small)


@given(texts(), rules)
def test_adding_gives_the_value_and_keeps_every_byte(made: tuple[str, Any, list[str]], new: list[str]) -> None:
    text, document, _ = made
    node = parse_jsonc(text)
    assert node is not None and node.value == document
    after = added(text, *new)
    expected = json.loads(json.dumps(document))
    present = expected.setdefault("permissions", {}).setdefault("allow", [])
    present += [rule for rule in dict.fromkeys(new) if rule not in present]
    node = parse_jsonc(after)
    assert node is not None and node.value == expected
    assert list(node.value)[: len(document)] == list(document)
    assert subsequence("".join(text.split()), after)


@given(texts(), st.data())
def test_removing_gives_the_value_and_keeps_every_comment(
    made: tuple[str, Any, list[str]], data: st.DataObject
) -> None:
    text, document, comments = made
    present = document.get("permissions", {}).get("allow", [])
    gone = data.draw(st.lists(st.sampled_from(present), max_size=3)) if present else ["x"]
    after = splice(text, [RemoveItems(ALLOW, tuple(gone))])
    expected = json.loads(json.dumps(document))
    if present:
        expected["permissions"]["allow"] = [rule for rule in present if rule not in gone]
    node = parse_jsonc(after)
    assert node is not None and node.value == expected
    bare = re.sub(r"\s", "", after)
    assert all(re.sub(r"\s", "", comment) in bare for comment in comments)


@given(texts(), values)
def test_putting_gives_the_value(made: tuple[str, Any, list[str]], value: Any) -> None:
    text, document, _ = made
    after = splice(text, [PutValue(("permissions", "y"), value)])
    node = parse_jsonc(after)
    expected = {**document, "permissions": {**document.get("permissions", {}), "y": value}}
    assert node is not None and node.value == expected


@given(st.text(st.sampled_from('{}[]",:/*\n\\ a1-eE.tru'), max_size=30))
def test_any_text_is_read_or_refused_at_a_place(text: str) -> None:
    try:
        node = parse_jsonc(text)
    except TextFault as fault:
        assert 0 <= fault.offset <= len(text)
        with pytest.raises(ValueError):
            json.loads(text, parse_constant=lambda _: 1 / 0, object_pairs_hook=_unique)
    else:
        try:
            value = json.loads(text, object_pairs_hook=_unique)
            assert node is not None and value == node.value
        except ValueError:
            assert re.search(r"//|/\*|,\s*[\]}]|^\s*$", text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)
