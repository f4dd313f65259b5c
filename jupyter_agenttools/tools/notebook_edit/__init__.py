"""NotebookEdit: one cell of a notebook file, by its id."""

from .tool import NotebookEditInput, NotebookEditOutput, notebook_edit_tool

__all__ = ["NotebookEditInput", "NotebookEditOutput", "notebook_edit_tool"]
