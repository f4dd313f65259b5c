"""Names, attributes and items, as in ``config["db"].ports[0]``: read, and followed without running any code."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ...core.errors import ToolValidationError
from .known import column_of, is_a, item_of, trusted_attribute

MAX_STEPS = 20


class Step(NamedTuple):
    """One step of a path: an attribute, or an item by a whole number or a text."""

    kind: Literal["attribute", "item"]
    key: str | int


class Path(NamedTuple):
    """A variable, and the steps from it."""

    text: str
    name: str
    steps: tuple[Step, ...]


def read_path(text: str) -> Path:
    """The path that is written here.

    Raises:
        ToolValidationError: it is something else, such as a call or a sum (``inspect-no-path``).
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        steps = tuple(_steps(node))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        message = (
            f"{text.strip()[:100]!r} is no name with attributes and items, such as df, config.port or rows[0]['name']. "
            "What needs code to be worked out is a matter of REPL"
        )
        raise ToolValidationError(message, check_id="inspect-no-path") from None
    return Path(text.strip(), str(steps[0].key), steps[1:])


def _steps(node: ast.expr) -> Iterator[Step]:
    found: list[Step] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            found.append(Step("attribute", node.attr))
        elif isinstance(node, ast.Subscript):
            found.append(Step("item", _key(node.slice)))
        else:
            raise ValueError("no step")
        if len(found) > MAX_STEPS:
            raise ValueError("too many steps")
        node = node.value
    yield Step("attribute", node.id)
    yield from reversed(found)


def _key(node: ast.expr) -> str | int:
    key = ast.literal_eval(node)
    if type(key) not in (str, int):
        raise ValueError("no simple key")
    return key


def follow(path: Path, namespace: Mapping[str, Any]) -> Any:
    """What stands at the end of the path.

    Raises:
        ToolValidationError: there is nothing (``inspect-nothing-there``), or finding out would run code of the person's
            (``inspect-runs-code``).
    """
    if path.name not in namespace:
        near = ", ".join(sorted(n for n in namespace if n.casefold() == path.name.casefold()))
        hint = f"; did you mean {near}?" if near else "; leave the name out to see what there is"
        raise ToolValidationError(f"there is no variable {path.name}{hint}", check_id="inspect-nothing-there")
    value, so_far = namespace[path.name], path.name
    for step in path.steps:
        if step.kind == "attribute":
            value, so_far = _attribute(value, str(step.key), so_far), f"{so_far}.{step.key}"
        else:
            value, so_far = _item(value, step.key, so_far), f"{so_far}[{step.key!r}]"
    return value


def _attribute(value: Any, name: str, so_far: str) -> Any:
    found = static_attribute(value, name)
    if found is not MISSING:
        return found
    if (trusted := trusted_attribute(value, name)) is not None:
        return trusted[0]
    if column_of(value, name):
        return item_of(value, name)[0]  # type: ignore[index]
    if has_static(type(value), name):
        raise _runs_code(f"{so_far}.{name}", f"it is a property of {type(value).__name__}")
    raise _nothing(f"{so_far} has no attribute {name} that can be read without running code", so_far)


MISSING = object()
_OBJECT_DICT = type.__dict__["__dict__"]


def own_attributes(value: Any) -> Mapping[str, Any]:
    """The attributes that an object itself holds, read without any code of its class."""
    if is_a(value, type):
        return _OBJECT_DICT.__get__(value)
    if type(value) is types.ModuleType:
        return value.__dict__
    for cls in type.__dict__["__mro__"].__get__(type(value)):
        if type(descriptor := _OBJECT_DICT.__get__(cls).get("__dict__")) is types.GetSetDescriptorType:
            held = descriptor.__get__(value)
            return held if type(held) is dict else {}
    return {}


def static_attribute(value: Any, name: str) -> Any:
    """The attribute of an object itself, a slot of it, or a plain value of its class; ``MISSING`` for all others."""
    held = own_attributes(value)
    in_class = _in_class(type(value), name)
    if type(in_class) is types.MemberDescriptorType:
        try:
            return in_class.__get__(value)
        except AttributeError:
            return MISSING
    if name in held:
        return held[name]
    if in_class is MISSING or _is_descriptor(in_class):
        return in_class if type(in_class) in (types.FunctionType, types.BuiltinFunctionType) else MISSING
    return in_class


def has_static(cls: type, name: str) -> bool:
    """Whether a class, or one that it is made from, has an attribute of that name."""
    return _in_class(cls, name) is not MISSING


def _in_class(cls: type, name: str) -> Any:
    for each in type.__dict__["__mro__"].__get__(cls):
        held = _OBJECT_DICT.__get__(each)
        if name in held:
            return held[name]
    return MISSING


def _is_descriptor(value: Any) -> bool:
    return has_static(type(value), "__get__")


def _item(value: Any, key: str | int, so_far: str) -> Any:
    where = f"{so_far}[{key!r}]"
    try:
        found = item_of(value, key)
    except (KeyError, IndexError, TypeError):
        raise _nothing(f"{so_far} has no item {key!r}", so_far) from None
    if found is None:
        raise _runs_code(where, f"looking into a {type(value).__name__} calls its own methods")
    return found[0]


def _nothing(what: str, so_far: str) -> ToolValidationError:
    return ToolValidationError(f"{what}; inspect {so_far} to see what there is", check_id="inspect-nothing-there")


def _runs_code(where: str, why: str) -> ToolValidationError:
    message = f"{where} cannot be read without running code ({why}). REPL can run it, when the person agrees"
    return ToolValidationError(message, check_id="inspect-runs-code")
