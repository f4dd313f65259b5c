import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { EarlyOutputs } from '../early';

describe('EarlyOutputs', () => {
  const kernel = {} as Kernel.IKernelConnection;
  const iopub = new Signal<Kernel.IKernelConnection, KernelMessage.IIOPubMessage>(kernel);
  Object.assign(kernel, { clientId: 'here', iopubMessage: iopub });
  let early = new EarlyOutputs(kernel);
  beforeEach(() => {
    early.end();
    early = new EarlyOutputs(kernel);
  });

  function put(request: string, msg_type: string, content: object = {}, session = 'there'): void {
    const parent_header = { msg_id: request, msg_type: 'execute_request', session };
    iopub.emit({
      header: { msg_type },
      parent_header,
      content
    } as unknown as KernelMessage.IIOPubMessage);
  }
  const print = (request: string, text: string): void => put(request, 'stream', { text });
  const idle = (request: string): void => put(request, 'status', { execution_state: 'idle' });
  const kept = (): string[] =>
    early
      .end()
      .map(({ content }) => ('text' in content ? String(content.text) : content))
      .map(each => (typeof each === 'string' ? each : String(Object.values(each)[0])));

  it('keeps a cell that runs from its beginning, however much others have put out before', () => {
    for (let at = 0; at < 600; at++) {
      print(`cell ${at}`, 'old');
      idle(`cell ${at}`);
    }
    print('runs', 'first');
    print('runs', 'second');
    expect(kept()).toEqual(['old', 'idle', 'first', 'second']);
  });

  it('keeps the end of a cell that has put out too much', () => {
    for (let at = 0; at < 600; at++) {
      print('runs', String(at));
    }
    idle('runs');
    const all = kept();
    expect([all.length, all[0], all[499], all[500]]).toEqual([501, '0', '499', 'idle']);
  });

  it('keeps nothing of cells of this page, of a kernel that went away, or when it has ended', () => {
    put('own', 'stream', { text: 'own' }, 'here');
    print('runs', 'gone');
    early.forget();
    expect(kept()).toEqual([]);
    print('runs', 'late');
    expect(kept()).toEqual([]);
  });
});
