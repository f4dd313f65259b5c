"""RunCell: runs cells of a notebook that is open in a front end."""

from .output import RunCellOutput
from .tool import RunCellInput, run_cell_tool

__all__ = ["RunCellInput", "RunCellOutput", "run_cell_tool"]
