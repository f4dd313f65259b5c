"""What files held before the agent changed them, turn by turn, and the way back."""

from .history import HISTORY_VARIABLE, FileHistory
from .report import FileTurnSummary, FileUndo, UndoReport
from .tree_keeper import Change, CommandChanges, Snapshot
from .turn_keeper import FileTurn

__all__ = [
    "HISTORY_VARIABLE",
    "Change",
    "CommandChanges",
    "FileHistory",
    "FileTurn",
    "FileTurnSummary",
    "FileUndo",
    "Snapshot",
    "UndoReport",
]
