"""YAML read as JSON data; imported when a script is YAML, for the reader is slow to load."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import yaml

_TAG = "tag:yaml.org,2002:"
_SCALARS = {
    "null": (r"~|null|", "~n"),
    "bool": (r"true|false", "tf"),
    "int": (r"[-+]?(0|[1-9][0-9]*)", "-+0123456789"),
    "float": (r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-+0123456789"),
}
"""What is read as something else than a text: its whole form, and the characters that it begins with."""


class JsonLoader(yaml.SafeLoader):
    """Makes texts, numbers, booleans, nulls, lists and mappings with texts as keys, each key once; nothing else."""

    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = {}
    yaml_constructors: ClassVar[dict[Any, Any]] = {
        None: yaml.SafeLoader.construct_undefined,
        **{
            f"{_TAG}{kind}": yaml.SafeLoader.yaml_constructors[f"{_TAG}{kind}"]
            for kind in ("null", "bool", "int", "float", "str", "seq")
        },
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not read: write it out", mark)
        return super().compose_node(parent, index)

    def construct_object_of_pairs(self, node: Any) -> Any:
        made: dict[str, Any] = {}
        yield made
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            problem = None if isinstance(key, str) else f"the key {key!r} is not a text: put it into quotes"
            problem = f"the key {key!r} stands twice" if problem is None and key in made else problem
            if problem:
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            made[key] = self.construct_object(value_node, deep=True)


JsonLoader.yaml_constructors[f"{_TAG}map"] = JsonLoader.construct_object_of_pairs
for _kind, (_form, _first) in _SCALARS.items():
    JsonLoader.add_implicit_resolver(f"{_TAG}{_kind}", re.compile(f"(?:{_form})$"), [*_first])
JsonLoader.yaml_implicit_resolvers[""] = [(f"{_TAG}null", re.compile("$"))]
