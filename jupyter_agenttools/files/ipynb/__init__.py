"""Notebook files: shown as cells, and edited one cell at a time with every other byte left alone."""

from .document import NotebookDocument, open_notebook
from .edit import CellEdit, EditedNotebook, OutputPolicy, edit_notebook
from .reading import CellOutput, NotebookCell, NotebookListing, list_notebook

__all__ = [
    "CellEdit",
    "CellOutput",
    "EditedNotebook",
    "NotebookCell",
    "NotebookDocument",
    "NotebookListing",
    "OutputPolicy",
    "edit_notebook",
    "list_notebook",
    "open_notebook",
]
