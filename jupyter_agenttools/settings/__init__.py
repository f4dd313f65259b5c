"""Settings files: where they are, what they add up to, whom to trust, and keeping a rule in one."""

from .contents import Contents, FileContent, read_contents
from .environment import SETTINGS_VARIABLE, environment_file
from .hook_layers import HookLayer
from .load import load_settings, own_settings, read_origin, settings_in
from .loaded import LoadedSettings, SettingsLayer
from .origin import SettingsOrigin, fingerprint
from .places import SettingsFile, SettingsPlaces
from .save import SavedFile, edit_files, edit_settings, save_rule, settings_file_of
from .splice import AddItems, PutValue, RemoveItems
from .trust import is_trusted, trust_file, trust_workspace_file
from .watch import SettingsWatcher
from .wishes import TrustRequest, Wish, trust_requests

__all__ = [
    "SETTINGS_VARIABLE",
    "AddItems",
    "Contents",
    "FileContent",
    "HookLayer",
    "LoadedSettings",
    "PutValue",
    "RemoveItems",
    "SavedFile",
    "SettingsFile",
    "SettingsLayer",
    "SettingsOrigin",
    "SettingsPlaces",
    "SettingsWatcher",
    "TrustRequest",
    "Wish",
    "edit_files",
    "edit_settings",
    "environment_file",
    "fingerprint",
    "is_trusted",
    "load_settings",
    "own_settings",
    "read_contents",
    "read_origin",
    "save_rule",
    "settings_file_of",
    "settings_in",
    "trust_file",
    "trust_requests",
    "trust_workspace_file",
]
