"""Settings files: where they are, what they add up to, whom to trust, and keeping a rule in one."""

from .environment import SETTINGS_VARIABLE, environment_file
from .hook_layers import HookLayer
from .load import load_settings, own_settings, read_origin
from .loaded import Fingerprint, LoadedSettings, SettingsLayer, SettingsOrigin, fingerprint
from .places import SettingsFile, SettingsPlaces
from .save import edit_settings, save_rule, settings_file_of
from .splice import AddItems, PutValue, RemoveItems
from .trust import is_trusted, trust_file, trust_workspace_file
from .watch import SettingsWatcher
from .wishes import TrustRequest, Wish, trust_requests

__all__ = [
    "SETTINGS_VARIABLE",
    "AddItems",
    "Fingerprint",
    "HookLayer",
    "LoadedSettings",
    "PutValue",
    "RemoveItems",
    "SettingsFile",
    "SettingsLayer",
    "SettingsOrigin",
    "SettingsPlaces",
    "SettingsWatcher",
    "TrustRequest",
    "Wish",
    "edit_settings",
    "environment_file",
    "fingerprint",
    "is_trusted",
    "load_settings",
    "own_settings",
    "read_origin",
    "save_rule",
    "settings_file_of",
    "trust_file",
    "trust_requests",
    "trust_workspace_file",
]
