"""Doing something at the moment in which a module is first imported, so that it need not be imported before."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Watch(MetaPathFinder):
    """Finds one module in the usual way, and adds to what its loader does."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name, self._then = name, then
        self._looking = False

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if fullname != self._name or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            self._add_to(spec.loader)
        return spec

    def _add_to(self, loader: Any) -> None:
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            self.forget()
            self._then()

        loader.exec_module = exec_module

    def forget(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)


def when_imported(name: str, then: Callable[[], None]) -> Callable[[], None]:
    """Call ``then`` when the module has been imported, at once if it was already. Returns the undo."""
    if name in sys.modules:
        then()
        return lambda: None
    watch = _Watch(name, then)
    sys.meta_path.insert(0, watch)
    return watch.forget
