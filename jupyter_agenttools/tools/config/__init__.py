"""Config: looking at the few settings that a model may know of, and setting some of them."""

from .tool import ConfigInput, ConfigOutput, config_tool

__all__ = ["ConfigInput", "ConfigOutput", "config_tool"]
