"""Requests to a page: what becomes of them when it is silent, comes back, or is closed."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_agenttools.notebook.lab.channel import VERSION, LabChannel, PageSilentError

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Channel(LabChannel):
    """Keeps what it tells, and hears what a page would say."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.kernel = SimpleNamespace(control_handlers={})
        self.heard: list[dict[str, Any]] = []
        super().__init__(self.kernel, self.heard.append)

    def tell(self, message: Any) -> None:
        self.told.append(dict(message))

    def hear(self, **message: Any) -> None:
        data = {"v": VERSION, "client": "page", **message}
        content = {"comm_id": self._comm.comm_id, "data": data}
        self.kernel.control_handlers["comm_msg"](None, None, {"content": content})


async def test_a_request_that_nobody_waits_for_any_longer_is_taken_back() -> None:
    channel = Channel()
    with pytest.raises(PageSilentError, match=r"no answer in 0\.01 s"):
        await channel.request("page", "apply", {}, 0.01)
    asked, withdrawn = channel.told[-2:]
    assert (withdrawn["op"], withdrawn["id"], withdrawn["to"]) == ("withdraw", asked["id"], "page")
    assert channel.is_quiet("page") and not channel.is_quiet("other")
    channel.hear(type="reply", id=asked["id"], ok=True, data=1)
    assert not channel.is_quiet("page")
    waiting = asyncio.create_task(channel.request("page", "apply", {}, 60))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert channel.told[-1]["op"] == "withdraw" and channel.told[-1]["id"] == channel.told[-2]["id"]


async def test_a_page_that_is_closed_is_not_waited_for() -> None:
    channel = Channel()
    waiting = asyncio.create_task(channel.request("page", "apply", {}, 60))
    other = asyncio.create_task(channel.request("other", "apply", {}, 60))
    await asyncio.sleep(0)
    channel.drop("page")
    with pytest.raises(PageSilentError, match="was closed before it had answered"):
        await asyncio.wait_for(waiting, 10)
    channel.hear(client="other", type="reply", id=channel.told[-1]["id"], ok=True, data=3)
    assert await other == 3


@pytest.mark.parametrize(
    "said",
    [
        {"v": True, "type": "answer"},
        {"v": 1.0, "type": "answer"},
        {"client": "half \ud800", "type": "answer"},
        {"type": "ask", "id": "half \ud800"},
        {"type": "marks", "path": "a", "marks": {"orders": {"half \ud800": []}}},
        {"type": "marks", "path": "a", "marks": {"entries": [["half \ud800"]]}},
    ],
    ids=lambda said: ascii(said),
)
async def test_what_cannot_be_told_again_is_not_heard(said: dict[str, Any]) -> None:
    channel = Channel()
    channel.hear(**said)
    assert channel.heard == []


async def test_a_page_that_waits_for_a_report_is_told_that_it_was_not_heard() -> None:
    channel = Channel()
    channel.hear(type="ask", id="a", name="history", args={"query": "half \ud800"})
    told = channel.told[-1]
    assert (told["type"], told["to"], told["id"], told["ok"]) == ("report", "page", "a", False)
    assert channel.heard == []


async def test_what_is_nested_without_end_is_not_heard() -> None:
    channel = Channel()
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    channel.hear(type="marks", path="a", marks={"form": 1, "entries": [{"cell": "c", "mark": deep}]})
    channel.hear(type="command", name="mode", args={"text": "ein ganzes 😀"})
    assert [message["type"] for message in channel.heard] == ["command"]
