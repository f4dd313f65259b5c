import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Contents } from '@jupyterlab/services';
import { JSONObject, JSONValue } from '@lumino/coreutils';

import { Refusal } from '../protocol';
import { apply, readOperations, revisionOf } from './operations';

/** The open notebooks, by the path that the kernel knows them by. */
export class LiveDocuments {
  constructor(
    private readonly notebooks: INotebookTracker,
    private readonly contents: Contents.IManager
  ) {}

  /** The notebook as it would be saved, with its revision. */
  readonly snapshot = async (args: JSONObject): Promise<JSONValue> => {
    const { context } = await this.find(args);
    const content = context.model.toJSON() as JSONObject;
    return { content, revision: this.revision(context), dirty: context.model.dirty };
  };

  /** Carry out operations if the notebook still has the revision that the kernel looked at. */
  readonly apply = async (args: JSONObject): Promise<JSONValue> => {
    const panel = await this.find(args);
    const { context } = panel;
    const operations = readOperations(args.operations);
    if (context.model.readOnly) {
      throw new Refusal('failed', 'the open document is read-only');
    }
    apply(context.model.sharedModel, operations, String(args.revision));
    return { revision: this.revision(context), dirty: context.model.dirty };
  };

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
}
