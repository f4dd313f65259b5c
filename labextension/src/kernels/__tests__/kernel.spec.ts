import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { Grace } from '../grace';
import { AgentKernel } from '../kernel';

// Notices need a page.
jest.mock('@jupyterlab/apputils', () => ({}));

it('keeps nothing for a kernel that could not be asked for its comms', async () => {
  const kernel = {} as Kernel.IKernelConnection;
  const iopub = new Signal<object, object>(kernel);
  Object.assign(kernel, {
    clientId: 'here',
    username: '',
    isDisposed: false,
    connectionStatus: 'connecting',
    iopubMessage: iopub,
    statusChanged: new Signal(kernel),
    connectionStatusChanged: new Signal(kernel),
    registerCommTarget: () => undefined,
    sendControlMessage: () => ({ done: Promise.reject(new Error('the kernel went away')) })
  });
  const greeting = { since: 0, serverRoot: '', own: null, visible: true, documents: [] };
  const agent = new AgentKernel(kernel, new Map(), new Grace(), () => greeting);
  await new Promise(done => setTimeout(done));
  iopub.emit({
    header: { msg_type: 'stream' },
    parent_header: { msg_id: 'cell', msg_type: 'execute_request', session: 'there' },
    content: { text: 'x' }
  });
  expect(agent.takeEarly()).toEqual([]);
});
