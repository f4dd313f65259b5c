"""ONE call: one file per stage; ``stages.py`` alone knows their order, ``run_call.py`` is the loop."""

from . import hook_payload
from .auto_mode import Approval, AutoClassifier, AutoQuestion
from .environment import CallEnvironment, Classifier, StageOutput
from .run_call import run_call
from .stages import STAGE_NAMES, STAGES, Stage

__all__ = [
    "STAGES",
    "STAGE_NAMES",
    "Approval",
    "AutoClassifier",
    "AutoQuestion",
    "CallEnvironment",
    "Classifier",
    "Stage",
    "StageOutput",
    "hook_payload",
    "run_call",
]
