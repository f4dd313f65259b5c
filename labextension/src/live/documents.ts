import type { SharedCell } from '@jupyter/ydoc';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Contents } from '@jupyterlab/services';
import { JSONObject, JSONValue } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';

import type { AgentKernel } from '../kernels/kernel';
import { Refusal } from '../protocol';
import { IApplied, ILiveDocuments } from '../tokens';
import { keepExecutions } from './executions';
import { keepWriting } from './focus';
import { apply, Operation, readOperations, revisionOf } from './operations';
import { CellRuns, readRun } from './run';

/** The open notebooks, by the path that the kernel knows them by. */
export class LiveDocuments implements ILiveDocuments {
  /**
   * @param runs - runs cells of them.
   * @param saves - whether a notebook is to be saved after an edit.
   */
  constructor(
    private readonly notebooks: INotebookTracker,
    private readonly contents: Contents.IManager,
    private readonly runs: CellRuns,
    private readonly saves: () => boolean
  ) {}

  get applied(): ISignal<ILiveDocuments, IApplied> {
    return this.changes;
  }

  /** The notebook as it would be saved, with its revision. */
  readonly snapshot = async (args: JSONObject): Promise<JSONValue> => {
    const { context } = await this.find(args);
    const content = context.model.toJSON() as JSONObject;
    // Before format 4.5 the ids are not in the content, nor in the file.
    const ids = context.model.sharedModel.cells.map(cell => cell.getId());
    return {
      content,
      ids,
      revision: this.revision(context),
      dirty: context.model.dirty,
      // Of the file, as it was when it was read or written here.
      fileTime: context.contentsModel?.last_modified ?? null
    };
  };

  /** Carry out operations if the notebook still has the revision that the kernel looked at. */
  readonly apply = async (args: JSONObject, kernel: AgentKernel): Promise<JSONValue> => {
    const panel = await this.find(args);
    const { context } = panel;
    const operations = readOperations(args.operations);
    if (context.model.readOnly) {
      throw new Refusal('failed', 'the open document is read-only');
    }
    const was = whatWas(panel, operations);
    const elsewhere = new Set(operations.flatMap(each => (each.op === 'move' ? [each.cell] : [])));
    keepWriting(panel.content, operations, () =>
      keepExecutions(panel.content, elsewhere, () =>
        apply(context.model.sharedModel, operations, String(args.revision))
      )
    );
    this.changes.emit({ panel, kernel, turn: String(args.turn ?? ''), ...was });
    return {
      revision: this.revision(context),
      dirty: context.model.dirty,
      save: this.saves()
    };
  };

  /** Run cells in order, up to the first that fails. */
  readonly run = async (args: JSONObject): Promise<JSONValue> =>
    this.runs.run(await this.find(args), readRun(args));

  /** Stop what runs by a request for it. */
  readonly stopRun = (args: JSONObject): JSONValue => this.runs.stop(String(args.run));

  /** Write the notebook to its file. */
  readonly save = async (args: JSONObject): Promise<JSONValue> => {
    const { context } = await this.find(args);
    await context.save();
    return { dirty: context.model.dirty };
  };

  private revision(context: NotebookPanel['context']): string {
    return revisionOf(context.model.sharedModel);
  }

  private async find(args: JSONObject): Promise<NotebookPanel> {
    const found = this.notebooks.find(
      panel => this.contents.localPath(panel.context.path) === args.path
    );
    if (found === undefined) {
      throw new Refusal('not-open', `${String(args.path)} is not open in this page`);
    }
    await found.context.ready;
    return found;
  }

  private readonly changes = new Signal<ILiveDocuments, IApplied>(this);
}

/** What has to be known of a notebook to tell afterwards what these operations did to it. */
function whatWas(
  { context }: NotebookPanel,
  operations: readonly Operation[]
): Pick<IApplied, 'order' | 'before' | 'inserted' | 'moved'> {
  const { cells } = context.model.sharedModel;
  const touched = new Set(operations.flatMap(each => ('cell' in each ? [each.cell] : [])));
  const before = cells
    .filter(cell => touched.has(cell.getId()))
    .map(cell => [cell.getId(), cell.toJSON() as SharedCell.Cell] as const);
  return {
    order: cells.map(cell => cell.getId()),
    before: new Map(before),
    inserted: operations.flatMap(each => (each.op === 'insert' ? [String(each.content.id)] : [])),
    moved: operations.flatMap(each => (each.op === 'move' ? [each.cell] : []))
  };
}
