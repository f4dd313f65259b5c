"""A front end without a browser: it keeps widget models, shows views, and clicks buttons.

It does what the widget manager of JupyterLab does on the wire, so that a kernel test can play the person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .executions import Message
from .kernels import KernelSession

WIDGET_TARGET = "jupyter.widget"
VIEW_MIME_TYPE = "application/vnd.jupyter.widget-view+json"
REFERENCE = "IPY_MODEL_"


@dataclass
class WidgetModel:
    """One widget as the front end knows it: the id of its comm, its state, and the custom messages that it sent."""

    comm_id: str
    state: dict[str, Any]
    custom: list[Any] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.state.get("_model_name", "")

    @property
    def children(self) -> tuple[str, ...]:
        """The comm ids of the widgets that are shown inside this one."""
        references = self.state.get("children") or ()
        return tuple(r.removeprefix(REFERENCE) for r in references if isinstance(r, str) and r.startswith(REFERENCE))


class Button(NamedTuple):
    comm_id: str
    description: str
    disabled: bool


class WidgetFrontEnd:
    """Widgets of one kernel, as a page would hold them.

    Args:
        kernel: whose messages to follow.
        renders: show views and count them (``_view_count``), as a browser does; a console does not.
        subshells: send widget messages over a subshell, as JupyterLab does when the kernel has them; ``None`` decides
            by the kernel.

    Attributes:
        models: the open widgets by comm id.
        closed: comm ids of widgets that the kernel closed.
    """

    def __init__(self, kernel: KernelSession, *, renders: bool = True, subshells: bool | None = None) -> None:
        self.kernel, self.renders = kernel, renders
        self.models: dict[str, WidgetModel] = {}
        self.closed: list[str] = []
        self._views: Counter[str] = Counter()
        self._whole_states = 0
        self.subshell_id: str | None = None
        if kernel.supports_subshells if subshells is None else subshells:
            self.subshell_id = kernel.request("control", "create_subshell_request", {})["subshell_id"]
        kernel.listeners.append(self._on_iopub)

    # ---- looking

    def visible(self) -> list[WidgetModel]:
        """The widgets on the page, from top to bottom."""
        return [self.models[comm_id] for comm_id in self._shown() if comm_id in self.models]

    def buttons(self) -> list[Button]:
        """The buttons on the page, from top to bottom."""
        return [
            Button(model.comm_id, model.state.get("description", ""), bool(model.state.get("disabled")))
            for model in self.visible()
            if model.name == "ButtonModel"
        ]

    def text(self) -> str:
        """The values of everything on the page, one per line (HTML as it is)."""
        return "\n".join(str(m.state["value"]) for m in self.visible() if m.state.get("value") not in (None, ""))

    def find(self, description: str) -> WidgetModel:
        """The visible widget with this description (its whole, else a part of it).

        Raises:
            LookupError: there is none.
        """
        descriptions = [(m, str(m.state.get("description", ""))) for m in self.visible()]
        exact = (m for m, text in descriptions if text == description)
        part = (m for m, text in descriptions if description in text)
        found = next(exact, None) or next(part, None)
        if found is None:
            raise LookupError(f"no widget {description!r} on the page: {[text for _, text in descriptions if text]}")
        return found

    # ---- acting

    def wait_button(self, description: str, timeout_s: float = 60) -> WidgetModel:
        """Wait until a button that can be clicked is there."""

        def enabled() -> WidgetModel | None:
            named = [b for b in self.buttons() if description in b.description and not b.disabled]
            exact = [b for b in named if b.description == description]
            return self.models[(exact or named)[0].comm_id] if named else None

        return self.kernel.pump_until(enabled, timeout_s, f"button {description!r}")

    def click(self, description: str, timeout_s: float = 60) -> None:
        """Wait for a button and click it."""
        self.send_custom(self.wait_button(description, timeout_s).comm_id, {"event": "click"})

    def set_value(self, widget: WidgetModel | str, value: Any) -> None:
        """Type or choose ``value`` in a widget, given as its model or its description."""
        model = self.find(widget) if isinstance(widget, str) else widget
        self.send_state(model.comm_id, value=value)

    def send_state(self, comm_id: str, **state: Any) -> None:
        """Change a model as the page would: here and in the kernel."""
        if comm_id in self.models:
            self.models[comm_id].state.update(state)
        self._send(comm_id, {"method": "update", "state": state, "buffer_paths": []})

    def send_custom(self, comm_id: str, content: Mapping[str, Any]) -> None:
        self._send(comm_id, {"method": "custom", "content": dict(content)})

    def wait_heard(self, timeout_s: float = 20) -> None:
        """Wait until the kernel has read what the page said so far: a request that comes after it is answered."""
        answered = self._whole_states
        self._send(self.visible()[0].comm_id, {"method": "request_state"})
        self.kernel.pump_until(lambda: self._whole_states > answered, timeout_s, "the state")

    def _send(self, comm_id: str, data: Mapping[str, Any]) -> None:
        content = {"comm_id": comm_id, "data": data}
        self.kernel.send("shell", "comm_msg", content, subshell_id=self.subshell_id)

    # ---- following the kernel

    def _on_iopub(self, message: Message) -> None:
        kind, content = message["msg_type"], message["content"]
        if kind == "comm_open" and content["target_name"] == WIDGET_TARGET:
            self.models[content["comm_id"]] = WidgetModel(content["comm_id"], dict(content["data"]["state"]))
        elif kind == "comm_msg" and content["comm_id"] in self.models:
            self._on_comm_msg(self.models[content["comm_id"]], content["data"])
        elif kind == "comm_close" and self.models.pop(content["comm_id"], None):
            self.closed.append(content["comm_id"])
        if self.renders and kind not in ("status", "stream", "execute_input"):
            self._count_views()

    def _on_comm_msg(self, model: WidgetModel, data: Mapping[str, Any]) -> None:
        if data["method"] in ("update", "echo_update"):
            model.state.update(data["state"])
            self._whole_states += "_model_name" in data["state"]
        elif data["method"] == "custom":
            model.custom.append(data["content"])

    def _shown(self) -> Iterator[str]:
        if not self.renders:
            return
        for execution in tuple(self.kernel.executions.values()):
            for view in execution.data(VIEW_MIME_TYPE):
                yield from self._with_children(view["model_id"])

    def _with_children(self, comm_id: str) -> Iterator[str]:
        if model := self.models.get(comm_id):
            yield comm_id
            for child in model.children:
                yield from self._with_children(child)

    def _count_views(self) -> None:
        """Tell the kernel how many views a widget has, where it asked to know (``_view_count`` is a number)."""
        views = Counter(self._shown())
        changed = {comm_id: views[comm_id] - self._views[comm_id] for comm_id in views | self._views}
        self._views = views
        for comm_id, difference in changed.items():
            model = self.models.get(comm_id)
            if difference and model and isinstance(count := model.state.get("_view_count"), int):
                self.send_state(comm_id, _view_count=count + difference)
