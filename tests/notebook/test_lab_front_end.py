"""Who is told of marks: every page when they come, and each page once for a notebook that it has newly open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_agenttools.notebook.lab.channel import VERSION
from jupyter_agenttools.notebook.lab.front_end import LabFrontEnd
from tests.notebook.test_kept_marks import entry, said


class Heard:
    """The kernel's side, with what it tells, and pages that speak to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kernel = SimpleNamespace(control_handlers={})
        self.front_end = LabFrontEnd(self.kernel)
        self.told: list[dict[str, Any]] = []
        monkeypatch.setattr(self.front_end.channel, "tell", self.told.append)

    def say(self, client: str, type: str, **more: Any) -> list[str]:
        """What is told then, by its types."""
        data = {"v": VERSION, "client": client, "type": type, **more}
        content = {"comm_id": self.front_end.channel._comm.comm_id, "data": data}
        self.told.clear()
        self.kernel.control_handlers["comm_msg"](None, None, {"content": content})
        return [each["type"] for each in self.told]

    def hello(self, client: str, *paths: str, since: int = 1, back: bool = False) -> list[str]:
        documents = [{"path": path, "dirty": False, "kernel": "k", "shared": False, "current": True} for path in paths]
        more = {"since": since, "serverRoot": "/tmp", "own": paths[0] if paths else None, "visible": True}
        return self.say(client, "hello", back=back, documents=documents, **more)


def test_a_page_that_opens_a_notebook_is_told_of_its_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard(monkeypatch)
    assert heard.hello("one", "a.ipynb") == []
    assert heard.say("one", **said(entry("c0", 1)), type="marks") == ["marks"]
    assert heard.hello("one", "a.ipynb") == []
    assert heard.hello("one", "a.ipynb", "b.ipynb") == []
    assert heard.hello("one", "a.ipynb", back=True) == ["marks"], "it may have missed something"
    assert heard.hello("two", "b.ipynb") == []
    assert heard.hello("two", "a.ipynb") == ["marks"]
    assert heard.told[0]["path"] == "a.ipynb"
    heard.say("two", "bye")
    assert [*heard.front_end._open] == ["one"]
    assert heard.hello("two", "a.ipynb") == ["marks"]
    assert heard.say("two", path="a.ipynb", was=None, marks=None, type="marks") == []
    assert heard.hello("three", "a.ipynb") == []
