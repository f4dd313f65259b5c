"""Fixtures of the tests that need a real kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.support.kernels import MATRIX, KernelSession, ipykernel_env

StartKernel = Callable[..., KernelSession]


@pytest.fixture
def start_kernel() -> Iterator[StartKernel]:
    """Start kernels, in this environment or in that of an ipykernel version; they end with the test."""
    with ExitStack() as stack:

        def start(ipykernel: str | None = None, **options: Any) -> KernelSession:
            python = ipykernel_env(ipykernel) if ipykernel else None
            return stack.enter_context(KernelSession(python, **options))

        yield start


@pytest.fixture(params=MATRIX)
def any_kernel(request: pytest.FixtureRequest, start_kernel: StartKernel) -> KernelSession:
    """A kernel of each supported ipykernel line in turn."""
    return start_kernel(request.param)
