"""``c.AgentTools`` in ``ipython_config.py``, and ``%config AgentTools`` in a cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traitlets import Bool, Enum, Int, TraitError, Unicode
from traitlets.config import Configurable

MODES = ("", "default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions")


class AgentTools(Configurable):
    """What a person sets for the sessions of their kernels: stronger than the settings files, but managed ones.

    A kernel's session follows a change at once.
    """

    mode = Enum(MODES, "", help="The permission mode; '' leaves it to the settings files.").tag(config=True)
    notebook_outputs = Enum(
        ("", "clear", "keep"), "", help="What an edit of a code cell does with its outputs; '' leaves it to the files."
    ).tag(config=True)
    settings_file = Unicode(
        "", help="One more settings file; JUPYTER_AGENTTOOLS_SETTINGS names another in its place."
    ).tag(config=True)
    watch_settings = Bool(True, help="Let changes of settings files count as they happen.").tag(config=True)
    max_turns = Int(0, min=0, help="How often an %%agent cell may ask the model; 0 is the usual number.").tag(
        config=True
    )

    def own_settings(self) -> dict[str, Any]:
        """What is set here, in the schema of ``settings.json``."""
        settings: dict[str, Any] = {}
        if self.mode:
            settings["permissions"] = {"defaultMode": self.mode}
        if self.notebook_outputs:
            settings["notebookOutputs"] = self.notebook_outputs
        return settings


def add_configurable(shell: Any) -> tuple[AgentTools, Callable[[], None]]:
    """The configuration in this shell, known to ``%config`` from now on, and the undo.

    Raises:
        UsageError: the shell's configuration has a value that cannot be used. Nothing is run without a mode that a
            person may have meant to be careful.
    """
    try:
        config = AgentTools(parent=shell)
    except TraitError as error:
        from .errors import UsageError

        raise UsageError(f"c.AgentTools in your IPython configuration: {error}") from None
    shell.configurables.append(config)
    return config, lambda: shell.configurables.remove(config) if config in shell.configurables else None
