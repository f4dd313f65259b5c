"""Read: a file's lines with their numbers, a notebook's cells, an image, or the pages of a PDF."""

from .output import FileUnchanged, ImageRead, NotebookImage, NotebookRead, PdfPage, PdfRead, ReadOutput, TextRead
from .tool import ReadInput, read_tool

__all__ = [
    "FileUnchanged",
    "ImageRead",
    "NotebookImage",
    "NotebookRead",
    "PdfPage",
    "PdfRead",
    "ReadInput",
    "ReadOutput",
    "TextRead",
    "read_tool",
]
