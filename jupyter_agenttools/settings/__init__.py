"""Settings files: where they are, what they add up to, whom to trust, and keeping a rule in one."""

from .environment import SETTINGS_VARIABLE, environment_settings
from .load import LoadedSettings, SettingsLayer, load_settings
from .save import save_rule
from .trust import is_trusted, trust_file, trust_workspace_file

__all__ = [
    "SETTINGS_VARIABLE",
    "LoadedSettings",
    "SettingsLayer",
    "environment_settings",
    "is_trusted",
    "load_settings",
    "save_rule",
    "trust_file",
    "trust_workspace_file",
]
