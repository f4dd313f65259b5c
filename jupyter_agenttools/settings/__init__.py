"""Settings files: where they are, what they add up to, whom to trust, and keeping a rule in one."""

from .load import LoadedSettings, SettingsLayer, load_settings
from .save import save_rule
from .trust import is_trusted, trust_file, trust_workspace_file

__all__ = [
    "LoadedSettings",
    "SettingsLayer",
    "is_trusted",
    "load_settings",
    "save_rule",
    "trust_file",
    "trust_workspace_file",
]
