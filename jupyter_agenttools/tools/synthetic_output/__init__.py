"""SyntheticOutput: the final answer of a query as data that fits a schema."""

from .schema import check_output_schema, schema_problems
from .tool import SyntheticOutput, create_synthetic_output_tool

__all__ = ["SyntheticOutput", "check_output_schema", "create_synthetic_output_tool", "schema_problems"]
