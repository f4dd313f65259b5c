/**
 * The map of the front end: every plugin, command and service by its name.
 */
import { Token } from '@lumino/coreutils';
import { ISignal } from '@lumino/signaling';
import { JSONObject, JSONValue } from '@lumino/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { SharedCell } from '@jupyter/ydoc';

import type { AgentKernel } from './kernels/kernel';
import type { IWaiting } from './prompts/waiting';
import type { IPlace } from './state';

export const NAMESPACE = 'jupyter-agenttools';

export const PluginIDs = {
  kernels: `${NAMESPACE}:kernels`,
  live: `${NAMESPACE}:live-documents`,
  prompts: `${NAMESPACE}:prompts`,
  panel: `${NAMESPACE}:panel`,
  status: `${NAMESPACE}:status`,
  reattach: `${NAMESPACE}:reattach`,
  changes: `${NAMESPACE}:changes`,
  cell: `${NAMESPACE}:cell`,
  trace: `${NAMESPACE}:trace`
} as const;

export const CommandIDs = {
  allow: `${NAMESPACE}:allow`,
  deny: `${NAMESPACE}:deny`,
  reveal: `${NAMESPACE}:show-question`,
  nextStage: `${NAMESPACE}:next-stage`,
  runOn: `${NAMESPACE}:run-on`,
  abortStep: `${NAMESPACE}:abort-step`,
  allowCell: `${NAMESPACE}:allow-cell`,
  denyCell: `${NAMESPACE}:deny-cell`,
  stopCell: `${NAMESPACE}:stop-cell`,
  showTrace: `${NAMESPACE}:show-trace`,
  stop: `${NAMESPACE}:stop`,
  openPanel: `${NAMESPACE}:open-panel`,
  acceptChange: `${NAMESPACE}:accept-change`,
  revertChange: `${NAMESPACE}:revert-change`,
  acceptTurn: `${NAMESPACE}:accept-turn`,
  revertTurn: `${NAMESPACE}:revert-turn`,
  acceptChanges: `${NAMESPACE}:accept-changes`,
  revertChanges: `${NAMESPACE}:revert-changes`
} as const;

/** The category of our commands in the palette. */
export const PALETTE = 'Agent tools';

/** Set on the body once every plugin of the extension runs: what a test waits for. */
export const READY_CLASS = 'jp-mod-agenttoolsReady';

/** What can be asked of a page: gets the arguments and who asks, gives the result, throws a `Refusal`. */
export type Operation = (args: JSONObject, kernel: AgentKernel) => JSONValue | Promise<JSONValue>;

/** The kernels of the open notebooks, as far as jupyter_agenttools runs in them. */
export interface IAgentKernels {
  /** Those that are there now. */
  readonly all: readonly AgentKernel[];
  /** One came, went, or says something new. */
  readonly changed: ISignal<IAgentKernels, AgentKernel>;
  /** The one of a notebook, `null` when nothing of ours runs there. */
  of(panel: NotebookPanel): AgentKernel | null;
  /** Whether this is the notebook in which something of its kernel happens. */
  holds(panel: NotebookPanel, place: IPlace): boolean;
  /** Let kernels ask for an operation of this name. */
  serve(name: string, operation: Operation): void;
  /** Tell every kernel how the page is now. */
  hello(): void;
}

export const IAgentKernels = new Token<IAgentKernels>(
  `${NAMESPACE}:IAgentKernels`,
  'The kernels of the open notebooks in which jupyter_agenttools runs.'
);

/** What waits for a person in all notebooks of the page. */
export interface IAgentWaiting {
  /** All of it, what the current notebook has first. */
  all(): readonly IWaiting[];
  /** Bring its card into view, and its notebook to the front. */
  reveal(waiting: IWaiting): void;
  /** The same for what has this key, if it still waits. */
  revealKey(key: string): void;
}

export const IAgentWaiting = new Token<IAgentWaiting>(
  `${NAMESPACE}:IAgentWaiting`,
  'What waits for a person in jupyter_agenttools, in all notebooks of the page.'
);

/** What a tool has changed in an open notebook. */
export interface IApplied {
  panel: NotebookPanel;
  /** Whose tool it is. */
  kernel: AgentKernel;
  /** The turn that it is part of. */
  turn: string;
  /** The ids of all cells before, in their order. */
  order: readonly string[];
  /** The cells that were changed, moved or deleted, as they were. */
  before: ReadonlyMap<string, SharedCell.Cell>;
  /** The ids of the cells that were inserted. */
  inserted: readonly string[];
  /** The ids of those that were moved. */
  moved: readonly string[];
}

/** Edits of open notebooks by tools. */
export interface ILiveDocuments {
  /** A tool has changed a notebook. */
  readonly applied: ISignal<ILiveDocuments, IApplied>;
}

export const ILiveDocuments = new Token<ILiveDocuments>(
  `${NAMESPACE}:ILiveDocuments`,
  'Edits of open notebooks by the tools of jupyter_agenttools.'
);
