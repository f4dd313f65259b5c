"""Edit: a text in a file put in place of another one, byte for byte."""

from .output import EditOutput
from .tool import EditInput, edit_tool

__all__ = ["EditInput", "EditOutput", "edit_tool"]
