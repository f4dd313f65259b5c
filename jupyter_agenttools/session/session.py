"""A session: everything that lasts from one call to the next, and the API to run calls."""

from __future__ import annotations

import os
import threading
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..agents import DEFAULT_MAX_TURNS
from ..core.blocks import Message, ToolUse, new_tool_use_id
from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.context import RESULTS_FOLDER, ContextState, PermissionMode, ToolOptions, ToolUseContext
from ..core.decision import Decision
from ..core.errors import UsageError
from ..core.events import Observers
from ..core.flags import resolve_flags
from ..core.interpreter import Interpreter
from ..core.outcome import Outcome
from ..core.permission_updates import AddRules, PermissionUpdate
from ..core.prompting import PermissionRequest, Prompter, RuleScope, RuleUpdate
from ..core.result import ContextModifier
from ..core.stepping import Stepper
from ..core.todos import Todo, todos_of
from ..core.tool import Tool
from ..core.updates import Compacted, Update
from ..core.usage import Usage
from ..files import FileStateCache, LiveDocuments, recover_writes
from ..files.history import FileHistory, FileTurnSummary, UndoReport
from ..hooks import Hook
from ..interpreter import PlainInterpreter
from ..models import Model
from ..pipeline import AutoClassifier, CallEnvironment, Classifier
from ..results import ResultStore
from ..settings import LoadedSettings
from .activities import Activities
from .call_contexts import make_call_context, make_environment
from .call_running import CallTerms, run_calls
from .conversation import SessionConversation
from .deciding import covers, decide
from .hook_events import SessionHooks
from .jobs import SessionJobs
from .naming import SessionName
from .paths import session_folder
from .prompters import PrompterChoice, make_prompter
from .queries import SessionQueries
from .reloading import SettingsKeeper
from .rights import as_loaded
from .session_rights import SessionRights
from .toolbox import Toolbox
from .transcript import Transcript
from .transcript_head import session_head
from .transcript_reading import TRANSCRIPT_NAME, LoadedTranscript
from .undo import SessionUndo, label_of, make_file_history

KEPT_OUTCOMES = 50
"""Outcomes at hand for traces and records; everything is in the transcript."""


class Session:
    """Runs tools and agents under one set of rights, in one working directory, with one transcript.

    Args:
        cwd: working directory; the process's own by default.
        settings: a mapping in the schema of ``settings.json`` (``permissions``, ``env`` …); nothing is then read from
            disk. Or what :func:`jupyter_agenttools.settings.load_settings` read.
        prompter: who answers when the gate asks: ``"deny"`` (nobody; the default outside of a notebook),
            ``"allow-list"``, ``"stdin"``, ``"widget"``, an object with ``async ask(request)``, or a function that takes
            a :class:`PermissionRequest` and returns a :class:`PermissionAnswer` or a bool.
        model: who answers :meth:`query`.
        tools: tools beside the built-in ones.
        hooks: Python hooks.
        session_dir: folder of the transcript and of big results; a fresh one by default.
        name: what a person calls it.
        rule_scopes: where a person may keep an "always allow" rule.
        watch_settings: let changes of the settings files count as they happen, until the session is closed.
        classifier: an early judge of calls, which can only tighten what the gate says.
        auto_classifier: who says yes in a person's place in the mode ``auto``, which there is only with one.

    Raises:
        UsageError: settings that cannot be used (names the key), a missing folder, an unknown prompter.
    """

    name = SessionName()

    def __init__(
        self,
        cwd: str | os.PathLike[str] | None = None,
        settings: Mapping[str, Any] | LoadedSettings | None = None,
        prompter: PrompterChoice = None,
        model: Model | None = None,
        *,
        tools: Sequence[Tool] = (),
        hooks: Sequence[Hook] = (),
        session_dir: str | os.PathLike[str] | None = None,
        name: str = "",
        rule_scopes: tuple[RuleScope, ...] = ("session",),
        classifier: Classifier | None = None,
        auto_classifier: AutoClassifier | None = None,
        watch_settings: bool = False,
    ) -> None:
        folder = Path(cwd or os.getcwd()).expanduser().absolute()
        if not folder.is_dir():
            raise UsageError(f"Session(cwd={str(folder)!r}): there is no such folder")
        self.id = uuid.uuid4().hex
        self.parent: Mapping[str, Any] | None = None
        self.resume_notes: tuple[str, ...] = ()
        self.name = name
        self.dir = Path(session_dir).absolute() if session_dir else session_folder(self.id)
        loaded = as_loaded(settings, str(folder))
        self._state = ContextState(loaded.permission, str(folder))
        self._lock = threading.RLock()
        self._toolbox = Toolbox(resolve_flags({**os.environ, **loaded.env}, repl_mode=loaded.repl_mode))
        self._activities = Activities()
        self.model = model
        self.rule_scopes = rule_scopes
        self.classifier = classifier
        self.auto_classifier = auto_classifier
        self._settings = SettingsKeeper(loaded, self)
        self.rights = SessionRights(self, self._settings)
        self.observers = Observers()
        tell = partial(self.observers.emit, "on_transcript_fault")
        self.transcript = Transcript(self.dir / TRANSCRIPT_NAME, partial(session_head, self), tell)
        self.observers.attach(self.transcript)
        self.outcomes: deque[Outcome] = deque(maxlen=KEPT_OUTCOMES)
        self.run_on_main: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None
        recover_writes()
        self.read_file_state = FileStateCache()
        self.live_documents: LiveDocuments | None = None
        self.interpreter: Interpreter = PlainInterpreter()
        self.own_notebook: Callable[[], str] = str
        history = make_file_history(self.dir, self.settings.env, None if session_dir else self.dir.parent)
        self._undoing = SessionUndo(history, self._activities, self.observers)
        self.jobs = SessionJobs(self.observers)
        self._store = ResultStore(self.dir / RESULTS_FOLDER)
        self.hook_events = SessionHooks(self, hooks)
        self.observers.attach(self.hook_events)
        self.conversation = SessionConversation(self, self._store)
        self.queries = SessionQueries(self)
        self.prompter: Prompter = make_prompter(prompter, self)
        for tool in tools:
            self.add_tool(tool)
        self.watch_settings(watch_settings)

    # ---- what the session knows

    @property
    def state(self) -> ContextState:
        """The shared context: rights, working directory, exported variables, tools' own state."""
        return self._state

    @property
    def settings(self) -> LoadedSettings:
        """The settings that count now."""
        return self._settings.current

    @property
    def cwd(self) -> str:
        return self._state.cwd

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation of :meth:`query` so far."""
        return self.conversation.messages

    @property
    def usage(self) -> Usage:
        """The tokens that all answers used up."""
        return self.conversation.usage

    @property
    def cost_usd(self) -> float | None:
        """What they cost in US dollars, ``None`` where no price is known."""
        return self.conversation.cost_usd

    @property
    def file_history(self) -> FileHistory | None:
        """What files held before the turns of this session; ``None`` when it is turned off."""
        return self._undoing.history

    @property
    def todos(self) -> tuple[Todo, ...]:
        """What the main agent has on its list (TodoWrite)."""
        return todos_of(self._state)

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """The hooks that were written in Python; those of the settings are in ``hook_events.known``."""
        return self.hook_events.own

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The pool that a model sees, in its stable order; tools that are denied outright are not in it."""
        return self._toolbox.pool(self._state.permission)

    @property
    def options(self) -> ToolOptions:
        """The configuration that tools can see."""
        return self._toolbox.options(self._state, self.settings, getattr(self.model, "name", ""))

    def find_tool(self, name: str) -> Tool | None:
        """The tool of that name or alias, denied or not."""
        return self._toolbox.find(name)

    # ---- what may be changed

    def modify_state(self, modifier: ContextModifier) -> None:
        """Replace the shared context by what ``modifier`` makes of it. Thread-safe."""
        with self._lock:
            state = modifier(self._state)
            if not isinstance(state, ContextState):
                raise TypeError(f"a context modifier returns a ContextState, not {type(state).__name__}")
            before, self._state = self._state, state
        self.transcript.keep_state(state, self.settings.permission)
        if state.permission is not before.permission:
            self.observers.emit("on_rights", state.permission)

    def add_tool(self, tool: Tool) -> Callable[[], None]:
        """Add a tool, in place of an earlier one of the same name. Returns the undo.

        Raises:
            UsageError: a built-in tool has that name.
        """
        return self._toolbox.add(tool)

    def add_hook(self, hook: Hook) -> Callable[[], None]:
        """Add a Python hook. Returns the undo."""
        return self.hook_events.add(hook)

    async def keep_rules(self, updates: Sequence[RuleUpdate]) -> None:
        """Keep permission rules, for this session or in a settings file: all of them, or a ``UsageError`` and none."""
        await self.rights.apply(AddRules((each.rule,), each.behavior, each.destination) for each in updates)

    async def update_permissions(self, updates: Sequence[PermissionUpdate]) -> None:
        """Change rules, the mode or the working directories: all of it, or a ``UsageError`` and nothing."""
        await self.rights.apply(updates)

    def set_mode(self, mode: PermissionMode) -> None:
        """Let this be the permission mode of the session from the next call on.

        Raises:
            UsageError: no such mode, or one that is not available here.
        """
        self.rights.set_mode(mode)

    def reload_settings(
        self, settings: Mapping[str, Any] | LoadedSettings | None = None, *, also_refused: bool = True
    ) -> LoadedSettings:
        """Let the settings files count as they are now, or these settings; ``also_refused``: also where a ConfigChange
        hook refused the change of a file. What was chosen in the session stays.

        Raises:
            SettingsError: they cannot be used; nothing was changed.
        """
        return self._settings.reload(settings, also_refused=also_refused)

    def watch_settings(self, watch: bool = True) -> None:
        """Let changes of the settings files count as they happen, or only when they are reloaded."""
        (self._settings.watch if watch else self._settings.close)()

    def rule_covers(self, rule: str | Sequence[str], request: PermissionRequest) -> bool:
        """Whether an allow rule of this text, or several together, would cover the call that is asked about."""
        tool, rules = self.find_tool(request.tool_name), (rule,) if isinstance(rule, str) else rule
        return tool is not None and covers(rules, request, tool, self.call_context(request.tool_use_id, Cancellation()))

    # ---- running

    async def call(
        self, name: str, input: Mapping[str, Any], *, tool_use_id: str | None = None, stepper: Stepper | None = None
    ) -> Outcome:
        """Run one tool through the whole pipeline. A refusal or a failure is an outcome, never an exception."""
        use = ToolUse(name, input, tool_use_id or new_tool_use_id())
        return (await self.run([use], stepper=stepper))[0]

    async def run(self, uses: Sequence[ToolUse], *, stepper: Stepper | None = None) -> list[Outcome]:
        """Run many calls: safe ones together, the others alone; one outcome for each, in the order of ``uses``."""
        with self._activities.begin() as cancellation:
            await self.hook_events.start(cancellation)
            files = self._undoing.turn(label_of(uses))
            return await run_calls(self, uses, CallTerms(cancellation, stepper, files=files))

    async def decide(self, name: str, input: Mapping[str, Any]) -> Decision:
        """What would the gate say? Runs nothing, no hook either, and asks nobody.

        ``behavior`` is ``ask`` where :meth:`call` would ask. An input that does not fit is a ``deny``.
        """
        await self._settings.refresh()
        state = CallState(ToolUse(name, input), self.call_context(new_tool_use_id(), Cancellation()))
        return await decide(state, self.call_environment(), self.hook_events.set)

    def query(
        self,
        prompt: str,
        *,
        model: Model | None = None,
        stepper: Stepper | None = None,
        max_turns: int = DEFAULT_MAX_TURNS,
        tools: Sequence[str] | None = None,
        system: str | None = None,
        output_schema: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[Update, None]:
        """Ask the model and run what it asks for, until it has an answer. The last update is a ``TurnEnded``.

        It may be left anywhere: what runs is stopped, and the conversation can go on.

        Args:
            tools: names of the only tools that the model is offered and can call.
            system: stands in the system prompt in the place of the usual introduction.
            output_schema: a JSON schema that the text of the answer must fit, for models that can be held to one.

        Raises:
            UsageError: no model was given, here or to the session, or no such tool. At the first update: a query runs
                already, or the schema is none.
        """
        options = self.queries.options(model, stepper, max_turns, tools, system, output_schema)
        return self.queries.query(prompt, options)

    def steer(self, text: str) -> bool:
        """Tell the running query's model something before its next answer. ``False`` when none runs. Thread-safe."""
        return self.queries.steer(text)

    def abort_call(self, tool_use_id: str, reason: str = "stopped by the person") -> bool:
        """Stop one call; those beside it go on. Whether there was such a call without a result. Thread-safe."""
        return self.queries.abort_call(tool_use_id, reason)

    async def compact(self, instructions: str = "") -> Compacted:
        """Put a summary in the place of older messages.

        Args:
            instructions: what the summary should look at.

        Raises:
            UsageError: there is no model, a query runs, there are too few messages, or it was refused or failed.
        """
        return await self.queries.compact(instructions)

    async def undo(self, turns: int = 1, *, force: bool = False) -> UndoReport:
        """Put back what files held before the last ``turns`` turns that changed some: queries, or calls outside of one.

        A file that somebody changed after the turn stays as it is, unless ``force``. What a file holds now is kept
        first, so :meth:`redo` brings it back. What anybody saved while a command ran goes back with the command's
        changes, marked as such; notebooks, which Jupyter saves itself, stay too. The model is told at the next query.

        Raises:
            UsageError: there is nothing to undo, no history is kept, or something runs.
        """
        return await self._undoing.undo(turns, force=force)

    async def file_turns(self) -> tuple[FileTurnSummary, ...]:
        """The turns that changed files, the newest first; raises as :meth:`undo` where no history is kept."""
        return await self._undoing.turns()

    async def redo(self) -> UndoReport:
        """Take the last :meth:`undo` back; raises as that does."""
        return await self._undoing.redo()

    def move_to_background(self, tool_use_id: str) -> bool:
        """Let a call that runs a command end now, and its command go on. Whether there was such a call. Thread-safe."""
        return self.jobs.move_to_background(tool_use_id)

    def interrupt(self, reason: str = "interrupted", *, group: str | None = None) -> None:
        """Stop every running call, prompt and query, or those of one group (see :data:`.activities.activity_group`).
        Thread-safe. A second time: at once, without any grace."""
        self._activities.interrupt(reason, group)

    async def aclose(self) -> None:
        """Stop what runs, also in the background, and close the transcript and the file history."""
        self._settings.close()
        self.interrupt("the session was closed")
        await self.jobs.aclose()
        self.interpreter.close()
        await self.hook_events.end()
        self.transcript.close()
        self._undoing.close()

    # ---- inside

    def call_context(
        self,
        tool_use_id: str,
        cancellation: Cancellation,
        parent: Message | None = None,
        terms: CallTerms | None = None,
    ) -> ToolUseContext:
        """What a call can see that begins now."""
        return make_call_context(self, tool_use_id, cancellation, parent, terms or CallTerms(cancellation))

    def call_environment(self, stepper: Stepper | None = None) -> CallEnvironment:
        """What the stages of a call work with that begins now."""
        return make_environment(self, self._toolbox.all(), self._store, stepper)

    def restore(self, loaded: LoadedTranscript) -> None:
        """Let the conversation and the totals be those of a transcript."""
        self.conversation = SessionConversation(self, self._store)
        self.conversation.restore(loaded)
