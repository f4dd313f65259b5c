/**
 * Messages over a kernel's control channel: they are dealt with while a cell runs, whether it awaits or blocks.
 */
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject } from '@lumino/coreutils';

/** A message of a type that usually goes over the shell channel, for the control channel. */
function controlMessage(
  kernel: Kernel.IKernelConnection,
  msgType: string,
  content: JSONObject
): KernelMessage.IControlMessage {
  const message = KernelMessage.createMessage({
    channel: 'control',
    msgType: 'interrupt_request',
    session: kernel.clientId,
    username: kernel.username,
    content: {}
  });
  // Kernels take these types on the control channel too; the typings know only of those that always go there.
  const open = message as unknown as { header: { msg_type: string }; content: JSONObject };
  open.header.msg_type = msgType;
  open.content = content;
  return message as unknown as KernelMessage.IControlMessage;
}

/** The ids of the comms of `target` that the kernel has open. */
export async function openComms(
  kernel: Kernel.IKernelConnection,
  target: string
): Promise<string[]> {
  const asked = controlMessage(kernel, 'comm_info_request', { target_name: target });
  const future = kernel.sendControlMessage(asked, true);
  const reply = (await future.done) as unknown as { content: { comms?: JSONObject } } | undefined;
  return Object.keys(reply?.content.comms ?? {});
}

/** Send data to a comm of the kernel. */
export function sendToComm(
  kernel: Kernel.IKernelConnection,
  commId: string,
  data: JSONObject
): void {
  kernel.sendControlMessage(controlMessage(kernel, 'comm_msg', { comm_id: commId, data }), false);
}
