"""The kernel's side of the JupyterLab and Notebook 7 extension."""

from .front_end import LabFrontEnd

__all__ = ["LabFrontEnd"]
