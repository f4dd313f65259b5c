"""Notebook files: shown as cells, and edited one cell at a time with every other byte left alone."""

from .document import NotebookDocument, open_notebook
from .edit import CellEdit, EditedCell, EditedNotebook, EditMode, OutputPolicy, edit_notebook
from .outputs import OutputImage
from .reading import CellOutput, NotebookCell, NotebookListing, list_cells, list_notebook

__all__ = [
    "CellEdit",
    "CellOutput",
    "EditMode",
    "EditedCell",
    "EditedNotebook",
    "NotebookCell",
    "NotebookDocument",
    "NotebookListing",
    "OutputImage",
    "OutputPolicy",
    "edit_notebook",
    "list_cells",
    "list_notebook",
    "open_notebook",
]
