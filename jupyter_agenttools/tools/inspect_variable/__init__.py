"""InspectVariable: what the person's variables are, without running any code of theirs."""

from .described import Described
from .tool import InspectVariableInput, InspectVariableOutput, inspect_variable_tool

__all__ = ["Described", "InspectVariableInput", "InspectVariableOutput", "inspect_variable_tool"]
