"""NotebookRead: cells of a notebook with their outputs, as it is open now."""

from .tool import NotebookReadInput, notebook_read_tool

__all__ = ["NotebookReadInput", "notebook_read_tool"]
