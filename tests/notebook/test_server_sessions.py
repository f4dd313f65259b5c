"""The notebook of a kernel, as a real server tells it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from jupyter_client.blocking import BlockingKernelClient

from jupyter_agenttools.notebook.server_sessions import renamed_notebook
from tests.support.lab_server import LabServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    with LabServer(tmp_path_factory.mktemp("sessions")) as running:
        yield running


def test_a_rename_is_known_to_the_server(server: LabServer, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat.write(nbformat.v4.new_notebook(), server.root / "one.ipynb")
    body = {"path": "one.ipynb", "name": "one", "type": "notebook", "kernel": {"name": "python3"}}
    session = server.api("/api/sessions", "POST", body)
    file = f"/somewhere/kernel-{session['kernel']['id']}.json"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(server.home / "runtime"))
    assert Path(renamed_notebook(file)) == server.root / "one.ipynb"
    server.api(f"/api/sessions/{session['id']}", "PATCH", {"path": "two.ipynb"})
    assert Path(renamed_notebook(file)) == server.root / "two.ipynb"
    assert renamed_notebook("/somewhere/kernel-0000.json") == "" and renamed_notebook("") == ""
    server.api(f"/api/sessions/{session['id']}", "DELETE")
    assert renamed_notebook(file) == ""


def test_a_kernel_finds_its_notebook_after_a_rename(server: LabServer) -> None:
    old, new = server.root / "old.ipynb", server.root / "new.ipynb"
    nbformat.write(nbformat.v4.new_notebook(), old)
    body = {"path": old.name, "name": "old", "type": "notebook", "kernel": {"name": "python3"}}
    session = server.api("/api/sessions", "POST", body)
    client = BlockingKernelClient(connection_file=str(server.home / f"runtime/kernel-{session['kernel']['id']}.json"))
    client.load_connection_file()
    client.start_channels(hb=False)  # on a machine with much to do a kernel may miss a beat
    said: list[str] = []

    def own_notebook() -> str:
        said.clear()
        code = "from jupyter_agenttools.notebook.own_notebook import own_notebook\nprint(own_notebook({}), end='')"
        reply = client.execute_interactive(
            code, timeout=60, output_hook=lambda message: said.append(str(message["content"].get("text", "")))
        )
        assert reply["content"]["status"] == "ok"
        return "".join(said)

    try:
        client.wait_for_ready(timeout=60)
        assert own_notebook() == str(old)
        old.rename(new)
        assert own_notebook() == ""
        server.api(f"/api/sessions/{session['id']}", "PATCH", {"path": new.name})
        assert own_notebook() == str(new)
    finally:
        client.stop_channels()


def test_no_server_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    assert renamed_notebook("/somewhere/kernel-0000.json") == ""
