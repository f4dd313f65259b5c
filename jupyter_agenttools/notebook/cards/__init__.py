"""The widgets that ask and show while a cell runs. Imports ipywidgets: only import it when a widget is needed."""

from .choose import card_for
from .group import GroupBar
from .manual import ManualCard
from .parts import WidgetBag
from .permission import PermissionCard
from .progress import ProgressPanel
from .say import SayRow
from .step import StepCard
from .trust import TrustCard

__all__ = [
    "GroupBar",
    "ManualCard",
    "PermissionCard",
    "ProgressPanel",
    "SayRow",
    "StepCard",
    "TrustCard",
    "WidgetBag",
    "card_for",
]
