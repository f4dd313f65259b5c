"""The tools of a session: the built-in ones, those that were added, and what a model sees of them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..core.brief import is_brief
from ..core.config_state import configured
from ..core.context import ContextState, ToolOptions, ToolPermissionContext
from ..core.errors import UsageError
from ..core.flags import NO_FLAGS, ToolFlags
from ..core.tool import Tool, find_tool_by_name
from ..registry import assemble_tool_pool, get_all_base_tools, hidden_tools, registered_tools
from ..settings import LoadedSettings


class Toolbox:
    """What tools there are. Thread-safe; what is worked out from the rights is kept as long as they are the same.

    Args:
        flags: of the session.
    """

    def __init__(self, flags: ToolFlags = NO_FLAGS) -> None:
        self.flags = flags
        self._lock = threading.Lock()
        self._own: tuple[Tool, ...] = ()
        self._pool: tuple[ToolPermissionContext, tuple[Tool, ...], tuple[Tool, ...]] | None = None
        self._options: tuple[tuple[object, ...], ToolOptions] | None = None

    def all(self) -> tuple[Tool, ...]:
        """Every tool, also those that are denied."""
        return (*registered_tools(get_all_base_tools(), self.flags), *self._own)

    def find(self, name: str) -> Tool | None:
        """The tool of that name or alias, denied or not."""
        return find_tool_by_name(self.all(), name)

    def add(self, tool: Tool) -> Callable[[], None]:
        """Add a tool, in place of an earlier one of the same name. Returns the undo.

        Raises:
            UsageError: a built-in tool has that name.
        """
        if find_tool_by_name(get_all_base_tools(), tool.name) is not None:
            raise UsageError(f"a built-in tool is named {tool.name!r}; give yours another name")
        with self._lock:
            self._own = (*(t for t in self._own if t.name != tool.name), tool)
        return lambda: self._remove(tool)

    def _remove(self, tool: Tool) -> None:
        with self._lock:
            self._own = tuple(t for t in self._own if t is not tool)

    def pool(self, permission: ToolPermissionContext) -> tuple[Tool, ...]:
        """What a model sees under these rights, in its stable order; tools that are denied outright are not in it."""
        own = self._own
        if self._pool is None or self._pool[0] is not permission or self._pool[1] is not own:
            self._pool = (permission, own, assemble_tool_pool(permission, own_tools=own, flags=self.flags))
        return self._pool[2]

    def options(self, state: ContextState, settings: LoadedSettings, model: str) -> ToolOptions:
        """The configuration that tools can see."""
        permission, set_here = state.permission, configured(state)
        tools = self.pool(permission)
        brief = is_brief(state)
        made_of = (tools, settings, permission.should_avoid_permission_prompts, model, set_here, brief)
        if self._options is None or not _same(self._options[0], made_of):
            options = ToolOptions(
                tools=tools,
                main_loop_model=model,
                plans_directory=settings.plans_directory,
                is_non_interactive=permission.should_avoid_permission_prompts,
                env=settings.env,
                notebook_outputs=set_here.get("notebookOutputs", settings.notebook_outputs),
                sandbox=settings.sandbox,
                repl_tools=hidden_tools(tools, permission, self.flags),
                flags=self.flags,
                brief=brief,
            )
            self._options = (made_of, options)
        return self._options[1]


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether nothing has been replaced; big values are compared by what they are and not by what is in them."""
    return one[0] is other[0] and one[1] is other[1] and one[2:] == other[2:]
