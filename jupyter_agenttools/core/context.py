"""What a running call can see and reach, and the little that it may change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from .blocks import Message
from .cancel import Cancellation
from .flags import NO_FLAGS, ToolFlags
from .immutable import freeze
from .sandboxing import NO_SANDBOX, SandboxSettings

if TYPE_CHECKING:
    from .events import FileEvent
    from .outcome import Outcome
    from .tool import Tool

PermissionMode = Literal["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
RuleSource = Literal["managed", "commandLine", "session", "localSettings", "projectSettings", "userSettings"]
RuleBehavior = Literal["allow", "ask", "deny"]
OutputPolicy = Literal["clear", "keep"]
"""What happens to the outputs of a notebook's code cell whose source really changes."""

ToolPermissionRulesBySource = Mapping[RuleSource, tuple[str, ...]]

RESULTS_FOLDER = "tool-results"
"""In the folder of a session."""


def _empty() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class AdditionalWorkingDirectory:
    """A root beside the working directory in which tools may read freely."""

    path: str
    source: RuleSource


@dataclass(frozen=True)
class ToolPermissionContext:
    """Everything the gate judges by. Deeply immutable: it is replaced, by a context modifier, and never changed.

    Args:
        mode: the permission mode.
        additional_working_directories: extra roots by their path.
        always_allow_rules, always_ask_rules, always_deny_rules: rule texts by where they come from.
        rule_roots: for each source, the absolute folder that ``/path`` in its rules starts from.
        is_bypass_permissions_mode_available: whether ``bypassPermissions`` may be chosen at all.
        should_avoid_permission_prompts: nobody can be asked; what would ask is denied.
        await_automated_checks_before_dialog: let classifiers and hooks finish before a person is asked.
    """

    mode: PermissionMode = "default"
    additional_working_directories: Mapping[str, AdditionalWorkingDirectory] = field(default_factory=_empty)
    always_allow_rules: ToolPermissionRulesBySource = field(default_factory=_empty)
    always_ask_rules: ToolPermissionRulesBySource = field(default_factory=_empty)
    always_deny_rules: ToolPermissionRulesBySource = field(default_factory=_empty)
    rule_roots: Mapping[RuleSource, str] = field(default_factory=_empty)
    is_bypass_permissions_mode_available: bool = False
    should_avoid_permission_prompts: bool = False
    await_automated_checks_before_dialog: bool = False

    def __post_init__(self) -> None:
        for name in (
            "additional_working_directories",
            "always_allow_rules",
            "always_ask_rules",
            "always_deny_rules",
            "rule_roots",
        ):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    def rules(self, behavior: RuleBehavior) -> ToolPermissionRulesBySource:
        """The rule texts of one behaviour, by source."""
        return {
            "allow": self.always_allow_rules,
            "ask": self.always_ask_rules,
            "deny": self.always_deny_rules,
        }[behavior]

    def with_rule(self, behavior: RuleBehavior, source: RuleSource, rule: str) -> ToolPermissionContext:
        """This context with one more rule (no change when it is there already)."""
        present = self.rules(behavior)
        if rule in present.get(source, ()):
            return self
        updated = {**present, source: (*present.get(source, ()), rule)}
        return replace(self, **{f"always_{behavior}_rules": updated})


@dataclass(frozen=True)
class ContextState:
    """The part of a session that a tool may change, through ``ToolResult.context_modifier`` only.

    Args:
        permission: what the gate judges by.
        cwd: absolute path of the working directory.
        shell_env: variables exported by earlier commands, on top of the kernel's own environment.
        app_state: frozen JSON-like state of tools (todo list, plan …) by name.
    """

    permission: ToolPermissionContext
    cwd: str
    shell_env: Mapping[str, str] = field(default_factory=_empty)
    app_state: Mapping[str, Any] = field(default_factory=_empty)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shell_env", freeze(self.shell_env))
        object.__setattr__(self, "app_state", freeze(self.app_state))


@dataclass(frozen=True)
class ToolOptions:
    """Session configuration that tools can see.

    Args:
        tools: the assembled pool, by order of the prompt.
        main_loop_model: the model's name, ``""`` when there is none.
        plans_directory: absolute folder for plans, ``None`` for one in the session's own folder.
        is_non_interactive: nobody can be asked in this session.
        env: settings' ``env`` on top of the kernel's environment.
        notebook_outputs: what an edit of a code cell does with its outputs.
        sandbox: whether and how commands run in the sandbox.
        repl_tools: tools that the model does not see in REPL mode: code that REPL runs can call them.
        flags: which of the optional tools and modes this session has.
        brief: the person wants short answers.
        commands, mcp_clients, agent_definitions, thinking_config: filled by the packages that own them.
    """

    tools: tuple[Tool, ...] = ()
    main_loop_model: str = ""
    plans_directory: str | None = None
    is_non_interactive: bool = False
    env: Mapping[str, str] = field(default_factory=_empty)
    notebook_outputs: OutputPolicy = "clear"
    sandbox: SandboxSettings = NO_SANDBOX
    repl_tools: tuple[Tool, ...] = ()
    flags: ToolFlags = NO_FLAGS
    brief: bool = False
    commands: tuple[Any, ...] = ()
    mcp_clients: tuple[Any, ...] = ()
    agent_definitions: tuple[Any, ...] = ()
    thinking_config: Any = None


def _ignore(_: Any) -> None:
    return None


async def run_inline(function: Callable[[], Any]) -> Any:
    """Run a function where the caller is, and await what it returns if that is an awaitable."""
    result = function()
    return await result if isawaitable(result) else result


async def _refuse(name: str, input: Mapping[str, Any]) -> Outcome:
    raise RuntimeError(f"this context cannot run other tools (asked for {name})")


CanUseTool = Callable[[str, Mapping[str, Any]], Awaitable["Outcome"]]
"""Given a tool's name and an input: runs that call."""


def _refuse_as(agent_id: str | None, agent_type: str | None, cancellation: Cancellation) -> CanUseTool:
    return _refuse


@dataclass(frozen=True)
class ToolUseContext:
    """What ``Tool.call`` is given beside its input: the only way to any state.

    Args:
        tool_use_id: id of the running call.
        state: the shared context as it was when the call began.
        options: session configuration.
        session_dir: folder of this session on disk (transcript, ``tool-results/``).
        cancellation: thrown when the call is stopped; check it directly before a lasting effect.
        read_file_state: what was read so far (a ``FileStateCache``).
        file_history: keeps what files held before this turn changed them (a ``FileTurn``), ``None`` for nobody.
        live_documents: documents that are open in a front end (``LiveDocuments``), ``None`` where nobody can tell.
        interpreter: runs Python in the person's namespace (``Interpreter``), ``None`` where there is none.
        own_notebook: the real path of the notebook that the session belongs to, ``""`` where nobody knows.
        outcomes: the last outcomes of the session, the oldest first.
        jobs: the commands of this session, in front and in the background (``Jobs``), ``None`` where nobody keeps them.
        messages: the conversation so far.
        agent_id, agent_type: the sub-agent that calls, ``None`` in the main one.
        parent_message: the assistant message that asked.
        judged_place: where the path of the call led to, links followed, when the gate judged it; ``None`` for no path.
        prevent_cwd_changes: a command must not move the session's working directory.
        hardened: allowed without anybody being asked, as provably read-only: run in the safest form.
        on_progress: report progress; any thread, never blocks.
        on_file: say that a file was read or changed; any thread, never blocks.
        count_tokens: the exact number of the model's tokens in a text, ``None`` where there is no model that can count.
        can_use_tool: run another tool through the same pipeline and gate.
        can_use_tool_as: the same for a sub-agent, given its id, its type and its switch.
        run_on_main: run a function on the kernel's main thread and wait for it; an awaitable that it returns is awaited
            there too.
        append_system_message: say something to the person outside of the result.
    """

    tool_use_id: str
    state: ContextState
    options: ToolOptions
    session_dir: Path
    cancellation: Cancellation
    read_file_state: Any = None
    file_history: Any = None
    live_documents: Any = None
    interpreter: Any = None
    own_notebook: Callable[[], str] = str
    outcomes: Callable[[], Sequence[Outcome]] = tuple
    jobs: Any = None
    content_replacement_state: Any = None
    messages: tuple[Message, ...] = ()
    agent_id: str | None = None
    agent_type: str | None = None
    parent_message: Message | None = None
    rendered_system_prompt: str | None = None
    is_main_thread: bool = True
    judged_place: str | None = None
    prevent_cwd_changes: bool = False
    hardened: bool = False
    on_progress: Callable[[Any], None] = _ignore
    on_file: Callable[[FileEvent], None] = _ignore
    count_tokens: Callable[[str], Awaitable[int]] | None = None
    can_use_tool: CanUseTool = _refuse
    can_use_tool_as: Callable[[str | None, str | None, Cancellation], CanUseTool] = _refuse_as
    run_on_main: Callable[[Callable[[], Any]], Awaitable[Any]] = run_inline
    append_system_message: Callable[[str], None] = _ignore

    @property
    def cwd(self) -> str:
        return self.state.cwd

    @property
    def results_dir(self) -> Path:
        """The folder of this session's results that are too big for the conversation."""
        return self.session_dir / RESULTS_FOLDER

    @property
    def permission(self) -> ToolPermissionContext:
        return self.state.permission

    @property
    def app_state(self) -> Mapping[str, Any]:
        return self.state.app_state


def create_subagent_context(parent: ToolUseContext, *, agent_id: str, agent_type: str) -> ToolUseContext:
    """The context of a sub-agent: its parent's rights, its own stop switch, and no way to move the parent's shell.

    What it calls goes through the same gate and the same hooks, which are told whose call it is.
    """
    cancellation = Cancellation(parent.cancellation)
    return replace(
        parent,
        agent_id=agent_id,
        agent_type=agent_type,
        cancellation=cancellation,
        prevent_cwd_changes=True,
        messages=(),
        can_use_tool=parent.can_use_tool_as(agent_id, agent_type, cancellation),
    )
