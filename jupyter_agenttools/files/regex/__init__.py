"""One pattern for two engines: read once, written for ripgrep and for Python so that both find the same."""

from .forms import PatternForms, read_pattern

__all__ = ["PatternForms", "read_pattern"]
