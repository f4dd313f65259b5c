"""NotebookEdit: cells of a notebook, by their ids."""

from .input import NotebookEditInput
from .output import NotebookEditOutput
from .tool import notebook_edit_tool

__all__ = ["NotebookEditInput", "NotebookEditOutput", "notebook_edit_tool"]
