"""Tools that are in no pool by themselves: who needs one puts it into the pool of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.tool import Tool


def make_output_tool(schema: Mapping[str, Any]) -> Tool:
    """The tool that takes the final answer of a query as data of this JSON Schema.

    Raises:
        UsageError: it is no JSON Schema; says where.
    """
    from ..tools.synthetic_output import create_synthetic_output_tool

    return create_synthetic_output_tool(schema)


def fits_schema(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether JSON data fits a schema."""
    from ..tools.synthetic_output import schema_problems

    return not schema_problems(value, schema)
