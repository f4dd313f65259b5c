import { Kernel, KernelMessage } from '@jupyterlab/services';

const KEPT = 500;

/** What a kernel puts out for cells that this page did not run, before anybody here knows of those cells. */
export class EarlyOutputs {
  constructor(private readonly kernel: Kernel.IKernelConnection) {
    kernel.iopubMessage.connect(this.onMessage);
  }

  /** What was kept; from now on nothing is. */
  end(): KernelMessage.IIOPubMessage[] {
    this.kernel.iopubMessage.disconnect(this.onMessage);
    return this.kept.splice(0);
  }

  private readonly onMessage = (
    _: Kernel.IKernelConnection,
    message: KernelMessage.IIOPubMessage
  ): void => {
    const parent = message.parent_header as Partial<KernelMessage.IHeader>;
    const isOthers =
      parent.msg_type === 'execute_request' && parent.session !== this.kernel.clientId;
    if (isOthers && this.kept.length < KEPT) {
      this.kept.push(message);
    }
  };

  private readonly kept: KernelMessage.IIOPubMessage[] = [];
}
