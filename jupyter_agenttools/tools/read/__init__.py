"""Read: a file's lines with their numbers, or a notebook's cells."""

from .output import FileUnchanged, NotebookRead, ReadOutput, TextRead
from .tool import ReadInput, read_tool

__all__ = ["FileUnchanged", "NotebookRead", "ReadInput", "ReadOutput", "TextRead", "read_tool"]
