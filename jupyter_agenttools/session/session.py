"""A session: everything that lasts from one call to the next, and the API to run calls."""

from __future__ import annotations

import os
import threading
import uuid
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..agents import DEFAULT_MAX_TURNS, QueryLoop, build_effective_system_prompt
from ..core.blocks import Message, ToolUse, new_tool_use_id
from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.context import RESULTS_FOLDER, ContextState, ToolOptions, ToolPermissionContext, ToolUseContext
from ..core.decision import Decision
from ..core.errors import UsageError
from ..core.events import Observers, ProgressEvent
from ..core.outcome import Outcome
from ..core.prompting import PermissionRequest, Prompter, RuleScope, RuleUpdate
from ..core.result import ContextModifier
from ..core.stepping import Stepper
from ..core.todos import Todo, todos_of
from ..core.tool import Tool, find_tool_by_name
from ..core.updates import Update
from ..executor import ToolRunner
from ..files import FileStateCache, LiveDocuments, recover_writes
from ..files.history import FileHistory, FileTurn, FileTurnSummary, UndoReport
from ..hooks import Hook, HookSet
from ..models import Model, ModelRequest, token_counter
from ..permissions import rule_matches
from ..pipeline import CallEnvironment, Classifier, run_call
from ..registry import assemble_tool_pool, get_all_base_tools
from ..results import ResultStore
from ..settings import LoadedSettings
from .activities import Activities
from .deciding import covers, decide
from .jobs import SessionJobs
from .paths import session_folder
from .prompters import PrompterChoice, make_prompter
from .rights import as_loaded, rights_of
from .rules import keep_rules
from .transcript import Transcript
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
        rule_scopes: where a person may keep an "always allow" rule.
        classifier: an early judge of calls, which can only tighten what the gate says.

    Raises:
        UsageError: settings that cannot be used (names the key), a missing folder, an unknown prompter.
    """

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
        rule_scopes: tuple[RuleScope, ...] = ("session",),
        classifier: Classifier | None = None,
    ) -> None:
        folder = Path(cwd or os.getcwd()).expanduser().absolute()
        if not folder.is_dir():
            raise UsageError(f"Session(cwd={str(folder)!r}): there is no such folder")
        self.id = uuid.uuid4().hex
        self.dir = Path(session_dir).absolute() if session_dir else session_folder(self.id)
        self.settings = as_loaded(settings, str(folder))
        self._state = ContextState(rights_of(self.settings), str(folder))
        self._lock = threading.RLock()
        self._own_tools: tuple[Tool, ...] = ()
        self._pool: tuple[ToolPermissionContext, tuple[Tool, ...], tuple[Tool, ...]] | None = None
        self._options: ToolOptions | None = None
        self._hooks = HookSet(hooks, rule_matches)
        self._activities = Activities()
        self._messages: list[Message] = []
        self.model = model
        self.rule_scopes = rule_scopes
        self.classifier = classifier
        self.observers = Observers()
        self.transcript = Transcript(self.dir / "transcript.jsonl")
        self.observers.attach(self.transcript)
        self.outcomes: deque[Outcome] = deque(maxlen=KEPT_OUTCOMES)
        self.run_on_main: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None
        recover_writes()
        self.read_file_state = FileStateCache()
        self.live_documents: LiveDocuments | None = None
        history = make_file_history(self.dir, self.settings.env, None if session_dir else self.dir.parent)
        self._undoing = SessionUndo(history, self._activities, self.observers)
        self.jobs = SessionJobs(self.observers)
        self._store = ResultStore(self.dir / RESULTS_FOLDER)
        self.prompter: Prompter = make_prompter(prompter, self)
        for tool in tools:
            self.add_tool(tool)

    # ---- what the session knows

    @property
    def state(self) -> ContextState:
        """The shared context: rights, working directory, exported variables, tools' own state."""
        return self._state

    @property
    def cwd(self) -> str:
        return self._state.cwd

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation of :meth:`query` so far."""
        return tuple(self._messages)

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
        return self._hooks.hooks

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The pool that a model sees, in its stable order; tools that are denied outright are not in it."""
        permission, own = self._state.permission, self._own_tools
        if self._pool is None or self._pool[0] is not permission or self._pool[1] is not own:
            self._pool = (permission, own, assemble_tool_pool(permission, own_tools=own))
        return self._pool[2]

    @property
    def options(self) -> ToolOptions:
        """The configuration that tools can see."""
        tools, model = self.tools, getattr(self.model, "name", "")
        if self._options is None or self._options.tools is not tools or self._options.main_loop_model != model:
            self._options = ToolOptions(
                tools=tools,
                main_loop_model=model,
                is_non_interactive=self._state.permission.should_avoid_permission_prompts,
                env=self.settings.env,
                notebook_outputs=self.settings.notebook_outputs,
                sandbox=self.settings.sandbox,
            )
        return self._options

    def find_tool(self, name: str) -> Tool | None:
        """The tool of that name or alias, denied or not."""
        return find_tool_by_name(self._all_tools(), name)

    def _all_tools(self) -> tuple[Tool, ...]:
        return (*get_all_base_tools(), *self._own_tools)

    # ---- what may be changed

    def modify_state(self, modifier: ContextModifier) -> None:
        """Replace the shared context by what ``modifier`` makes of it. Thread-safe."""
        with self._lock:
            state = modifier(self._state)
            if not isinstance(state, ContextState):
                raise TypeError(f"a context modifier returns a ContextState, not {type(state).__name__}")
            self._state = state

    def add_tool(self, tool: Tool) -> Callable[[], None]:
        """Add a tool, in place of an earlier one of the same name. Returns the undo.

        Raises:
            UsageError: a built-in tool has that name.
        """
        if find_tool_by_name(get_all_base_tools(), tool.name) is not None:
            raise UsageError(f"a built-in tool is named {tool.name!r}; give yours another name")
        with self._lock:
            self._own_tools = (*(t for t in self._own_tools if t.name != tool.name), tool)
        return lambda: self._remove_tool(tool)

    def _remove_tool(self, tool: Tool) -> None:
        with self._lock:
            self._own_tools = tuple(t for t in self._own_tools if t is not tool)

    def add_hook(self, hook: Hook) -> Callable[[], None]:
        """Add a Python hook. Returns the undo."""
        with self._lock:
            self._hooks = self._hooks.with_hook(hook)
        return lambda: self._remove_hook(hook)

    def _remove_hook(self, hook: Hook) -> None:
        with self._lock:
            self._hooks = self._hooks.without_hook(hook)

    async def keep_rules(self, updates: Sequence[RuleUpdate]) -> None:
        """Keep permission rules, for this session or in a settings file: all of them, or a ``UsageError`` and none."""
        await keep_rules(self, updates)

    def rule_covers(self, rule: str | Sequence[str], request: PermissionRequest) -> bool:
        """Whether an allow rule of this text, or several together, would cover the call that is asked about."""
        tool, rules = self.find_tool(request.tool_name), (rule,) if isinstance(rule, str) else rule
        return tool is not None and covers(rules, request, tool, self._context(request.tool_use_id, Cancellation()))

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
            files = self._undoing.turn(label_of(uses))
            return [outcome async for outcome in self._run_tools(uses, cancellation, stepper, files=files)]

    async def decide(self, name: str, input: Mapping[str, Any]) -> Decision:
        """What would the gate say? Runs nothing, no hook either, and asks nobody.

        ``behavior`` is ``ask`` where :meth:`call` would ask. An input that does not fit is a ``deny``.
        """
        state = CallState(ToolUse(name, input), self._context(new_tool_use_id(), Cancellation()))
        return await decide(state, self._environment(None), self._hooks)

    async def query(
        self,
        prompt: str,
        *,
        model: Model | None = None,
        stepper: Stepper | None = None,
        max_turns: int = DEFAULT_MAX_TURNS,
    ) -> AsyncIterator[Update]:
        """Ask the model and run what it asks for, until it has an answer. The last update is a ``TurnEnded``.

        Raises:
            UsageError: no model was given, here or to the session.
        """
        chosen = model or self.model
        if chosen is None:
            raise UsageError("no model: give one to Session(model=…) or query(…, model=…), e.g. ScriptedModel([...])")
        with self._activities.begin() as cancellation:
            files = self._undoing.turn(prompt)
            loop = QueryLoop(
                model=chosen,
                request=self._model_request,
                run_tools=lambda uses, message: self._run_tools(uses, cancellation, stepper, message, chosen, files),
                add_message=self._add_message,
                cancellation=cancellation,
                max_turns=max_turns,
                news=self.jobs.take_reminders,
            )
            async with aclosing(loop.run(prompt, self._undoing.take_reminders())) as updates:
                async for update in updates:
                    yield update

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

    def interrupt(self, reason: str = "interrupted") -> None:
        """Stop every running call, prompt and query. Thread-safe. A second time: at once, without any grace."""
        self._activities.interrupt(reason)

    async def aclose(self) -> None:
        """Stop what runs, also in the background, and close the transcript and the file history."""
        self.interrupt("the session was closed")
        await self.jobs.aclose()
        self.transcript.close()
        self._undoing.close()

    # ---- inside

    async def _run_tools(
        self,
        uses: Sequence[ToolUse],
        cancellation: Cancellation,
        stepper: Stepper | None = None,
        parent: Message | None = None,
        model: Model | None = None,
        files: FileTurn | None = None,
    ) -> AsyncGenerator[Outcome, None]:
        environment = self._environment(stepper)

        async def run_one(use: ToolUse) -> Outcome:
            state = CallState(use, self._context(use.id, Cancellation(cancellation), parent, model, files))
            outcome = await run_call(state, environment)
            self.outcomes.append(outcome)
            return outcome

        runner = ToolRunner(environment.tools, run_one, self.modify_state, stopped=lambda: cancellation.cancelled)
        async for outcome in runner.run(uses):
            yield outcome

    def _context(
        self,
        tool_use_id: str,
        cancellation: Cancellation,
        parent: Message | None = None,
        model: Model | None = None,
        files: FileTurn | None = None,
    ) -> ToolUseContext:
        async def can_use_tool(name: str, input: Mapping[str, Any]) -> Outcome:
            (outcome,) = [o async for o in self._run_tools([ToolUse(name, input)], cancellation, files=files)]
            return outcome

        context = ToolUseContext(
            tool_use_id=tool_use_id,
            state=self._state,
            options=self.options,
            session_dir=self.dir,
            cancellation=cancellation,
            read_file_state=self.read_file_state,
            file_history=files,
            live_documents=self.live_documents,
            jobs=self.jobs,
            messages=self.messages,
            parent_message=parent,
            on_file=lambda event: self.observers.emit("on_file", event),
            count_tokens=token_counter(model or self.model),
            on_progress=lambda data: self.observers.emit("on_progress", ProgressEvent(tool_use_id, data)),
            can_use_tool=can_use_tool,
        )
        return replace(context, run_on_main=self.run_on_main) if self.run_on_main else context

    def _environment(self, stepper: Stepper | None) -> CallEnvironment:
        return CallEnvironment(
            tools=self._all_tools(),
            hooks=self._hooks,
            observers=self.observers,
            prompter=self.prompter,
            store=self._store,
            apply_rules=self.keep_rules,
            rule_scopes=self.rule_scopes,
            stepper=stepper,
            classifier=self.classifier,
            hook_payload=self._hook_payload,
        )

    def _hook_payload(self) -> Mapping[str, Any]:
        return {
            "session_id": self.id,
            "transcript_path": str(self.transcript.path),
            "cwd": self._state.cwd,
            "permission_mode": self._state.permission.mode,
        }

    def _model_request(self) -> ModelRequest:
        tools = self.tools
        return ModelRequest(build_effective_system_prompt(tools, self.options, self.cwd), self.messages, tools)

    def _add_message(self, message: Message) -> None:
        self._messages.append(message)
        self.observers.emit("on_message", message)
