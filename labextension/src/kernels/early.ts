import { Kernel, KernelMessage } from '@jupyterlab/services';

/** Of one cell; what it puts out beyond that, before anybody here knows of it, is not kept. */
const KEPT = 500;

/**
 * What a kernel puts out for cells that this page did not run, before anybody here knows of those cells.
 *
 * A cell that is over is of no use to anybody, but for the last one: that it still ran may be said just now.
 */
export class EarlyOutputs {
  constructor(private readonly kernel: Kernel.IKernelConnection) {
    kernel.iopubMessage.connect(this.onMessage);
  }

  /** What was kept; from now on nothing is. */
  end(): KernelMessage.IIOPubMessage[] {
    this.kernel.iopubMessage.disconnect(this.onMessage);
    const kept = [...this.kept.values()].flat();
    this.forget();
    return kept;
  }

  /** The kernel went away, and its cells with it. */
  forget(): void {
    this.kept.clear();
    this.over = '';
  }

  private readonly onMessage = (
    _: Kernel.IKernelConnection,
    message: KernelMessage.IIOPubMessage
  ): void => {
    const { msg_id, msg_type, session } = message.parent_header as Partial<KernelMessage.IHeader>;
    if (!msg_id || msg_type !== 'execute_request' || session === this.kernel.clientId) {
      return;
    }
    const kept = this.kept.get(msg_id) ?? [];
    this.kept.set(msg_id, kept);
    const isLast = isIdle(message);
    if (isLast || kept.length < KEPT) {
      kept.push(message);
    }
    if (isLast) {
      this.kept.delete(this.over);
      this.over = msg_id;
    }
  };

  /** By the request that the cell was asked by. */
  private readonly kept = new Map<string, KernelMessage.IIOPubMessage[]>();
  /** The one that was over last. */
  private over = '';
}

function isIdle({ header, content }: KernelMessage.IIOPubMessage): boolean {
  return (
    header.msg_type === 'status' &&
    'execution_state' in content &&
    content.execution_state === 'idle'
  );
}
