"""Tools that are in no pool by themselves: who needs one puts it into the pool of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.cancel import Cancellation
from ..core.tool import Tool


def make_output_tool(schema: Mapping[str, Any], cancellation: Cancellation | None = None) -> Tool:
    """The tool that takes the final answer of a query as data of this JSON Schema. Waits as :func:`fits_schema` does.

    Args:
        cancellation: ends that wait when it is thrown.

    Raises:
        UsageError: it is no JSON Schema; says where.
        InterruptedToolError: ``cancellation`` was thrown.
    """
    from ..tools.synthetic_output import create_synthetic_output_tool

    return create_synthetic_output_tool(schema, cancellation)


def fits_schema(value: Any, schema: Mapping[str, Any], cancellation: Cancellation | None = None) -> bool:
    """Whether JSON data is known to fit a schema. Waits for another process that looks.

    Args:
        cancellation: ends that wait when it is thrown.

    Raises:
        InterruptedToolError: it was thrown.
    """
    from ..tools.synthetic_output import schema_problems

    return not schema_problems(value, schema, cancellation)
