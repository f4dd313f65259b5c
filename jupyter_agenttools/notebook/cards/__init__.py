"""The widgets that ask and show while a cell runs. Imports ipywidgets: only import it when a widget is needed."""

from .parts import WidgetBag
from .permission import PermissionCard
from .progress import ProgressPanel
from .step import StepCard

__all__ = ["PermissionCard", "ProgressPanel", "StepCard", "WidgetBag"]
