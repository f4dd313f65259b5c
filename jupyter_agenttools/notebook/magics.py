"""The ``%tool`` and ``%agent`` magics, awaited and synchronous."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython.core.magic import no_var_expand

from .loaded import Loaded
from .sigint import held_interrupts

if TYPE_CHECKING:
    from .plan import Plan

KINDS = ("line", "cell")


class Magics:
    """Both forms of both magics.

    Args:
        loaded: the extension.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    def _plan(self, name: str, line: str, body: str | None, shown: bool) -> Plan:
        from .agent_command import agent_plan
        from .tool_command import tool_plan

        plan = {"tool": tool_plan, "agent": agent_plan}[name]
        return plan(self._loaded.runtime, line, body, shown)

    async def awaited(self, name: str, line: str, body: str | None = None, *, shown: bool = False) -> Any:
        """What a magic at the top level of a cell is turned into.

        Args:
            name: ``tool`` or ``agent``.
            line: the text after the magic's name.
            body: the cell below it, ``None`` for a line.
            shown: whether IPython's display hook will be given the value.
        """
        with held_interrupts() as check:
            from .plan import drive

            plan = self._plan(name, line, body, shown)
            check()
            return await drive(plan)

    def _blocking(self, name: str, line: str, body: str | None) -> Any:
        with held_interrupts() as check:
            from .plan import drive_blocking

            plan = self._plan(name, line, body, False)
            check()
            return drive_blocking(plan)

    def register(self, shell: Any) -> Callable[[], None]:
        """Register the synchronous forms. Returns the undo, which brings back what had these names before."""
        made = {"tool": self._tool(), "agent": self._agent()}
        magics = shell.magics_manager.magics
        before = {(kind, name): magics[kind].get(name) for kind in KINDS for name in made}
        for name, function in made.items():
            shell.register_magic_function(no_var_expand(function), "line_cell", name)

        def undo() -> None:
            for (kind, name), magic in before.items():
                magics[kind].pop(name, None)
                if magic is not None:
                    magics[kind][name] = magic

        return undo

    def _tool(self) -> Callable[..., Any]:
        def tool(line: str, cell: str | None = None) -> Any:
            """Run one tool through the whole pipeline: schema, checks, hooks, permission, call, result.

            %tool                                 the tools there are
            %tool NAME --help                     help for one tool
            %tool NAME field=value … text         run it; the text goes to the tool's main field
            %tool --json NAME {"field": value}    the whole input as JSON
            %%tool NAME field=value …             the cell below is the text, byte for byte
            %tool --explain NAME …                what would the gate decide, and why? Nothing runs
            %tool --step NAME …                   stop after each stage
            %tool --trace                         the walk of the last call
            x = %tool NAME …                      the outcome as a value
            """
            return self._blocking("tool", line, cell)

        return tool

    def _agent(self) -> Callable[..., Any]:
        def agent(line: str, cell: str | None = None) -> Any:
            """Let a model work with the tools, and answer its questions.

            %%agent                               the cell below is the prompt
            %%agent --model SPEC --mode MODE      who answers, and the permission mode, in this turn
            %%agent --tools A,B --max-turns N     only these tools; ask the model at most N times
            %%agent --expand                      variables in place of {name} and $name
            %%agent --background                  run it beside the cells
            %%agent --continue, --resume ID       go on with an earlier conversation; --name NAME gives it a name
            %%agent --script FILE                 play the model's turns from a file (- for the cell itself)
            %%agent --record FILE, --replay FILE  keep the model's answers, and play them again without it
            %%agent --rerun, --step               also where the record is kept; stop after each stage
            %agent status, say TEXT, stop         what runs; tell the model something; end the turn
            %agent approve ID, deny ID reason     answer a call that waits
            %agent transcript, export html FILE   the conversation so far
            %agent cost, compact, reset           what it cost; shorten it; begin an empty one
            %agent sessions, resume ID            earlier conversations
            %agent model SPEC, tools              who answers, with what
            %agent mode acceptEdits, permissions  what it may do
            %agent undo, undo 3, redo, history    put files back as they were before a turn
            s = %agent session                    the session as a value
            %agent --help                         all of it
            """
            return self._blocking("agent", line, cell)

        return agent
