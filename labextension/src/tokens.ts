/**
 * The map of the front end: every plugin, command and service by its name.
 */
import { Token } from '@lumino/coreutils';
import { ISignal } from '@lumino/signaling';
import { JSONObject, JSONValue } from '@lumino/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { AgentKernel } from './kernels/kernel';

export const NAMESPACE = 'jupyter-agenttools';

export const PluginIDs = {
  kernels: `${NAMESPACE}:kernels`,
  live: `${NAMESPACE}:live-documents`,
  prompts: `${NAMESPACE}:prompts`,
  panel: `${NAMESPACE}:panel`,
  status: `${NAMESPACE}:status`,
  reattach: `${NAMESPACE}:reattach`,
  changes: `${NAMESPACE}:changes`,
  trace: `${NAMESPACE}:trace`
} as const;

export const CommandIDs = {
  allow: `${NAMESPACE}:allow`,
  deny: `${NAMESPACE}:deny`,
  reveal: `${NAMESPACE}:show-question`,
  showTrace: `${NAMESPACE}:show-trace`,
  stop: `${NAMESPACE}:stop`,
  openPanel: `${NAMESPACE}:open-panel`,
  acceptChanges: `${NAMESPACE}:accept-changes`,
  revertChanges: `${NAMESPACE}:revert-changes`
} as const;

/** The category of our commands in the palette. */
export const PALETTE = 'Agent tools';

/** Set on the body once every plugin of the extension runs: what a test waits for. */
export const READY_CLASS = 'jp-mod-agenttoolsReady';

/** What can be asked of a page: gets the arguments, gives the result, throws a `Refusal`. */
export type Operation = (args: JSONObject) => JSONValue | Promise<JSONValue>;

/** The kernels of the open notebooks, as far as jupyter_agenttools runs in them. */
export interface IAgentKernels {
  /** Those that are there now. */
  readonly all: readonly AgentKernel[];
  /** One came, went, or says something new. */
  readonly changed: ISignal<IAgentKernels, AgentKernel>;
  /** The one of a notebook, `null` when nothing of ours runs there. */
  of(panel: NotebookPanel): AgentKernel | null;
  /** Let kernels ask for an operation of this name. */
  serve(name: string, operation: Operation): void;
  /** Tell every kernel how the page is now. */
  hello(): void;
}

export const IAgentKernels = new Token<IAgentKernels>(
  `${NAMESPACE}:IAgentKernels`,
  'The kernels of the open notebooks in which jupyter_agenttools runs.'
);
