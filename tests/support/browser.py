"""JupyterLab and Notebook 7 in a real Chromium: open a notebook, run cells, click, read what is there.

::

    with LabServer(folder) as server, open_browser() as browser, LabPage(server, browser) as lab:
        lab.write_nb("a.ipynb", ["print(1)"])
        lab.open("a.ipynb")
        lab.run(0, wait=True)
        assert lab.text(0) == "1"

Cells are run by the application's own commands and outputs are read from its model, so that little hangs on selectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from .chromium import LAUNCH_ARGS, find_chromium, system_chromium
from .lab_server import LabServer

PAGE_TIMEOUT_S = 60.0
DONE_TIMEOUT_S = 60.0
TEXT_TIMEOUT_S = 30.0

KNOWN_NOISE = frozenset({"Cannot read properties of undefined (reading 'schema')"})
"""What Notebook 7.6 throws by itself while it loads its settings, with no notebook code involved."""

NOTEBOOK_JS = "const app = window.jupyterapp, panel = app.shell.currentWidget, notebook = panel.content;"

READY_JS = """async ([waitKernel, limitMs]) => {
    while (!window.jupyterapp?.shell?.currentWidget?.sessionContext) await new Promise(done => setTimeout(done, 50));
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.context.ready;
    if (!waitKernel) return true;
    const answered = panel.sessionContext.ready.then(() => panel.sessionContext.session?.kernel?.info);
    const late = new Promise(done => setTimeout(() => done('late'), limitMs));
    return await Promise.race([answered, late]) !== 'late';
}"""

ANSWER_TIMEOUT_S = 40.0
"""A kernel that did not answer its first request by then never will: seen once with ipykernel 7.3.0 on a machine under
load, before any code of ours was in it (its 7.4 mends a request that gets lost with its subshell)."""


@contextmanager
def open_browser(*, headless: bool = True) -> Iterator[Browser]:
    """A running Chromium: the machine's own, or the one that Playwright brought.

    While it is open, no asyncio loop can run in this thread.

    Raises:
        RuntimeError: there is none; the message says how to get one.
    """
    if find_chromium() is None:
        raise RuntimeError("no Chromium on this machine; run: python -m tests.support.setup_browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=system_chromium(), headless=headless, args=list(LAUNCH_ARGS)
        )
        try:
            yield browser
        finally:
            browser.close()


class LabPage:
    """One page (a fresh browser profile) on a server, showing one notebook at a time.

    Attributes:
        page: Playwright's page, for what has no method here.
        console: what the page wrote to its console, as ``(type, text)``.
    """

    def __init__(
        self,
        server: LabServer,
        browser: Browser,
        *,
        width: int = 1200,
        height: int = 1400,
        dark: bool = False,
    ) -> None:
        self.server = server
        self._context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        self._name = ""
        self.console: list[tuple[str, str]] = []
        self.page = self._new_page()

    def __enter__(self) -> LabPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the page and end the kernels of the server, so that the next page starts afresh."""
        self._context.close()
        for kernel in self.server.api("/api/kernels"):
            self.server.api(f"/api/kernels/{kernel['id']}", "DELETE")

    def _new_page(self) -> Page:
        page = self._context.new_page()
        page.set_default_timeout(PAGE_TIMEOUT_S * 1000)
        page.on("console", lambda message: self.console.append((message.type, message.text)))
        page.on("pageerror", lambda error: self.console.append(("pageerror", str(error))))
        return page

    # ---- documents

    def write_nb(
        self, name: str, cells: Sequence[str], *, kernel: str = "python3", metadata: Mapping[str, Any] | None = None
    ) -> Path:
        """Write a notebook of code cells below the server's root."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
        notebook.metadata.update(metadata or {})
        path = self.server.root / name
        nbformat.write(notebook, path)
        return path

    def read_nb(self, name: str | None = None) -> Any:
        """The notebook as it is on disk."""
        return nbformat.read(self.server.root / (name or self._name), as_version=4)

    def open(self, name: str, *, wait_kernel: bool = True) -> None:
        """Show a notebook and wait until its kernel has answered (or only until the document is there)."""
        self._name = name
        path = f"/lab/tree/{name}?reset&" if self.server.app == "lab" else f"/notebooks/{name}?"
        self.page.goto(f"{self.server.base}{path}token={self.server.token}")
        self._wait_ready(wait_kernel)

    def reload(self, *, wait_kernel: bool = True) -> None:
        """Load the page anew, as F5 does; the kernel lives on."""
        self.page.on("dialog", lambda dialog: dialog.accept())  # "leave site?" for unsaved changes
        self.page.reload()
        self._wait_ready(wait_kernel)

    def save(self) -> None:
        self._js("await panel.context.save();")

    def _wait_ready(self, wait_kernel: bool) -> None:
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        if not self.page.evaluate(READY_JS, [wait_kernel, ANSWER_TIMEOUT_S * 1000]):
            self.restart()  # as a person would
            assert self.page.evaluate(READY_JS, [wait_kernel, ANSWER_TIMEOUT_S * 1000]), "the kernel does not answer"

    # ---- running

    def run(self, index: int, *, wait: bool = False, timeout_s: float = DONE_TIMEOUT_S) -> None:
        """Run a cell; ``wait`` also waits for its end."""
        self._js(
            "notebook.activeCellIndex = arg; notebook.deselectAll(); app.commands.execute('notebook:run-cell');", index
        )
        if wait:
            self.wait_done(index, timeout_s)

    def run_all(self) -> None:
        self._js("app.commands.execute('notebook:run-all-cells');")

    def interrupt(self) -> None:
        self._js("await app.commands.execute('notebook:interrupt-kernel');")

    def restart(self) -> None:
        """Restart the kernel without the question that the menu asks."""
        self._js("await panel.sessionContext.session.kernel.restart();")

    def prompt(self, index: int) -> str:
        """What stands in the brackets before a cell: ``*`` while it runs or waits."""
        return self._js("return notebook.widgets[arg].prompt ?? '';", index)

    def wait_done(self, index: int, timeout_s: float = DONE_TIMEOUT_S) -> None:
        """Wait until a cell has its number."""
        self._wait("/^\\d+$/.test((notebook.widgets[arg].prompt ?? '').trim())", index, timeout_s)

    def wait_idle(self, timeout_s: float = DONE_TIMEOUT_S) -> None:
        self._wait("panel.sessionContext.session?.kernel?.status === 'idle'", None, timeout_s)

    # ---- looking and clicking

    def cell(self, index: int) -> Locator:
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(index)

    def text(self, index: int) -> str:
        """What is to be read in the output area of a cell."""
        return self._js(
            "return [...notebook.widgets[arg].outputArea.node.querySelectorAll('.jp-OutputArea-output')]"
            ".map(node => node.innerText).join('\\n');",
            index,
        ).strip()

    def wait_text(self, index: int, text: str, timeout_s: float = TEXT_TIMEOUT_S) -> None:
        self._wait("notebook.widgets[arg[0]].outputArea.node.innerText.includes(arg[1])", [index, text], timeout_s)

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """The outputs in the document's model, as they would be saved."""
        return self._js("return notebook.widgets[arg].model.outputs.toJSON();", index)

    def source(self, index: int) -> str:
        return self._js("return notebook.widgets[arg].model.sharedModel.getSource();", index)

    def wait_button(self, label: str, timeout_s: float = TEXT_TIMEOUT_S) -> Locator:
        """The first visible button whose text holds ``label``, inside the notebook."""
        button = self.page.locator(".jp-Notebook button:visible", has_text=label).first
        button.wait_for(state="visible", timeout=timeout_s * 1000)
        return button

    def click_button(self, label: str, timeout_s: float = TEXT_TIMEOUT_S) -> None:
        self.wait_button(label, timeout_s).click(timeout=timeout_s * 1000)

    @property
    def errors(self) -> list[str]:
        """Errors on the page's console, and exceptions that nobody caught; without the application's known noise."""
        return [t for kind, t in self.console if kind in ("error", "pageerror") and t not in KNOWN_NOISE]

    def screenshot(self, path: str | Path) -> None:
        self.page.screenshot(path=str(path))

    def set_theme(self, name: str) -> None:
        """Choose a JupyterLab theme, e.g. ``JupyterLab Dark``."""
        self._js("await app.commands.execute('apputils:change-theme', {theme: arg});", name)

    def _js(self, body: str, argument: Any = None) -> Any:
        return self.page.evaluate(f"async (arg) => {{ {NOTEBOOK_JS} {body} }}", argument)

    def _wait(self, condition: str, argument: Any, timeout_s: float) -> None:
        self.page.wait_for_function(
            f"(arg) => {{ {NOTEBOOK_JS} return {condition}; }}", arg=argument, timeout=timeout_s * 1000
        )


__all__ = ["LabPage", "LabServer", "open_browser"]
