"""What every test gets: one event loop kind, a home of its own on disk, and a clean end when it is told to stop."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from jupyter_agenttools.core import Cancellation, ContextState, ToolOptions, ToolPermissionContext, ToolUseContext

settings.register_profile("project", deadline=None)  # a busy machine is no fault of the code under test
settings.load_profile("project")

HOME_VARIABLE = "JUPYTER_AGENTTOOLS_HOME"


def pytest_configure(config: pytest.Config) -> None:
    # SIGTERM (from `timeout`, or a CI runner that gives up) must end servers and kernels through their fixtures.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def agenttools_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A fresh folder for sessions and transcripts; kernels started by tests inherit it through the environment."""
    home = tmp_path_factory.mktemp("agenttools-home")
    before = os.environ.get(HOME_VARIABLE)
    os.environ[HOME_VARIABLE] = str(home)
    yield home
    if before is None:
        del os.environ[HOME_VARIABLE]
    else:
        os.environ[HOME_VARIABLE] = before


@pytest.fixture
def make_context(tmp_path: Path) -> Callable[..., ToolUseContext]:
    """Make the context of one call in a fresh folder; keywords replace its fields."""

    def make(**fields: Any) -> ToolUseContext:
        values: dict[str, Any] = {
            "tool_use_id": "toolu_test",
            "state": ContextState(ToolPermissionContext(), str(tmp_path)),
            "options": ToolOptions(),
            "session_dir": tmp_path / "session",
            "cancellation": Cancellation(),
        }
        return ToolUseContext(**{**values, **fields})

    return make


@pytest.fixture
def everybodys_folder() -> Iterator[Path]:
    """A folder that every user can reach; pytest's own ones are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
