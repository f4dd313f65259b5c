import { Notification } from '@jupyterlab/apputils';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, JSONValue, PromiseDelegate, UUID } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import {
  COMM_TARGET,
  FromPage,
  IAsk,
  ICommand,
  IDisplays,
  IHello,
  IMarksTold,
  IReport,
  IRequest,
  readMessage,
  Refusal,
  Unsigned,
  VERSION
} from '../protocol';
import { IQuestion, readState } from '../state';
import { Operation } from '../tokens';
import { openComms, sendToComm } from './control';
import { EarlyOutputs } from './early';
import { Grace } from './grace';
import { Lateness } from './lateness';
import { Voice } from './voice';

/** So long is a notice shown; one without a time goes to the list of notices unseen. */
const NOTICE_MS = 10_000;

/** What a page says of itself, without what the connection knows. */
export type Greeting = Omit<IHello, 'type' | 'v' | 'client' | 'back'>;

/** Takes a request back that has the same id. */
const WITHDRAW = 'withdraw';

/** So long is it waited whether a late request has been taken back. */
const SETTLE_MS = 250;

/**
 * One notebook's kernel, and what is said to and from jupyter_agenttools in it.
 *
 * It is silent where nothing of ours runs: nothing is sent but one question for comms that are open.
 */
export class AgentKernel implements IDisposable {
  /**
   * @param kernel - the connection of the notebook.
   * @param operations - what the kernel may ask for.
   * @param grace - which questions a person can have read, of all kernels of the page.
   * @param greeting - what the page says of itself.
   */
  constructor(
    readonly kernel: Kernel.IKernelConnection,
    private readonly operations: ReadonlyMap<string, Operation>,
    private readonly grace: Grace,
    private readonly greeting: () => Greeting
  ) {
    this.early = new EarlyOutputs(kernel);
    kernel.registerCommTarget(COMM_TARGET, this.onOpened);
    kernel.statusChanged.connect(this.onStatus);
    kernel.connectionStatusChanged.connect(this.onConnection);
    grace.restarted.connect(this.onRestarted);
    this.voice = new Voice(kernel, () => void this.look(true));
    void this.look();
  }

  /** Whether jupyter_agenttools runs in the kernel. */
  get isPresent(): boolean {
    return this.commId !== null;
  }

  /** How its session is, as it said last. */
  get state(): JSONObject {
    return this.told;
  }

  /** It came, went, or said something new. */
  get changed(): ISignal<AgentKernel, void> {
    return this.changes;
  }

  /** Cells of its notebook that run, and outputs there that are still being drawn. */
  get drawing(): ISignal<AgentKernel, IDisplays> {
    return this.displays;
  }

  /** What others' cells put out since this page listens, until it is told of them; each is given out once. */
  takeEarly(): KernelMessage.IIOPubMessage[] {
    return this.early.end();
  }

  /** What is new of the marks of changed cells. */
  get marked(): ISignal<AgentKernel, IMarksTold> {
    return this.marks;
  }

  get isDisposed(): boolean {
    return this.disposed;
  }

  /** Say how the page is now; `back` when it may have missed something. */
  hello(back = false): void {
    this.send({ type: 'hello', back, ...this.greeting() });
  }

  /** Whether a person can have read this question: till then nothing in the page allows it. */
  mayAllow(question: string): boolean {
    const found = this.waiting.filter(({ id }) => id === question);
    return found.length > 0 && found.every(each => this.grace.left(this, shownOf(each)) === 0);
  }

  /** Answer a question of the kernel's gate; to allow one that nobody can have read does nothing. */
  answer(question: string, behavior: 'allow' | 'deny', message = ''): void {
    if (behavior === 'deny' || this.mayAllow(question)) {
      this.send({ type: 'answer', question, behavior, message });
      this.grace.restart();
    }
  }

  /** Have a command of the session run. */
  command(name: string, args: JSONObject = {}): void {
    this.send({ type: 'command', name, args });
  }

  /** Have a command run, and hear what came of it; rejects with the reason when it could not be done. */
  request(name: string, args: JSONObject = {}): Promise<JSONValue> {
    return this.awaited({ type: 'command', name, args });
  }

  /** Have it keep what happened to the marks in a notebook; `null` once the notebook is deleted. */
  keepMarks(path: string, marks: JSONObject | null, was: string | null = null): void {
    this.send({ type: 'marks', path, was, marks });
  }

  /** Something to look at, e.g. `rules`; rejects with the reason when there is no such thing. */
  ask(name: string, args: JSONObject = {}): Promise<JSONValue> {
    return this.awaited({ type: 'ask', name, args });
  }

  dispose(): void {
    if (this.disposed) {
      return;
    }
    this.disposed = true;
    this.early.end();
    this.send({ type: 'bye' });
    this.voice.dispose();
    this.grace.restarted.disconnect(this.onRestarted);
    this.kernel.statusChanged.disconnect(this.onStatus);
    this.kernel.connectionStatusChanged.disconnect(this.onConnection);
    this.kernel.removeCommTarget(COMM_TARGET, this.onOpened);
    this.forget();
    Signal.clearData(this);
  }

  private get waiting(): readonly IQuestion[] {
    return readState(this.told).waiting;
  }

  private lookAtWaiting(): void {
    this.grace.look(this, this.waiting.map(shownOf));
    this.tellWhenRead();
  }

  private readonly onRestarted = (): void => {
    if (this.waiting.length > 0) {
      this.changes.emit();
      this.tellWhenRead();
    }
  };

  /** What can be allowed changes by itself as well. */
  private tellWhenRead(): void {
    clearTimeout(this.reading);
    const left = this.waiting.map(each => this.grace.left(this, shownOf(each)) ?? 0);
    const next = Math.min(...left.filter(each => each > 0));
    if (Number.isFinite(next) && !this.disposed) {
      this.reading = setTimeout(() => {
        this.changes.emit();
        this.tellWhenRead();
      }, Math.ceil(next));
    }
  }

  private awaited(message: Omit<Unsigned<IAsk | ICommand>, 'id'>): Promise<JSONValue> {
    const id = UUID.uuid4();
    const told = new PromiseDelegate<JSONValue>();
    if (this.commId === null) {
      told.reject(new Error('the kernel went away'));
      return told.promise;
    }
    this.asked.set(id, told);
    this.send({ ...message, id });
    return told.promise;
  }

  private send(message: Unsigned<FromPage>): void {
    if (this.commId !== null && !this.kernel.isDisposed) {
      const signed = { v: VERSION, client: this.kernel.clientId, ...message };
      sendToComm(this.voice.connection, this.commId, signed as unknown as JSONObject);
    }
  }

  /** Look for a comm that was opened before this page came; `inHurry` while the notebook's connection is held back. */
  private async look(inHurry = false): Promise<void> {
    try {
      const [found] = await openComms(inHurry ? this.voice.connection : this.kernel, COMM_TARGET);
      if (!inHurry || found === undefined) {
        this.voice.dispose();
      }
      if (found === undefined) {
        this.early.end();
      }
      if (found !== undefined && this.commId === null && !this.disposed) {
        this.use(
          this.kernel.hasComm(found) ? null : this.kernel.createComm(COMM_TARGET, found),
          found
        );
      }
    } catch {
      // The kernel went away meanwhile, or does not know the question: then nothing of ours runs there. The one in a
      // hurry also ends so when it is not needed any more.
      if (!inHurry && this.commId === null) {
        this.early.end();
      }
    }
  }

  private readonly onOpened = (comm: Kernel.IComm): void => this.use(comm, comm.commId);

  private use(comm: Kernel.IComm | null, id: string): void {
    this.commId = id;
    if (comm !== null) {
      comm.onMsg = ({ header, content }) =>
        this.onMessage(content.data, this.lateness.isLate(header.date));
      comm.onClose = () => this.forget();
    }
    this.hello();
    this.changes.emit();
  }

  private forget(): void {
    this.commId = null;
    this.told = {};
    this.lookAtWaiting();
    this.asked.forEach(told => told.reject(new Error('the kernel went away')));
    this.asked.clear();
    this.changes.emit();
  }

  private readonly onStatus = (_: Kernel.IKernelConnection, status: Kernel.Status): void => {
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead') {
      this.early.forget();
      this.forget();
    }
  };

  /** It was cut off, and may have missed something: it comes as if it were new. */
  private readonly onConnection = (
    _: Kernel.IKernelConnection,
    status: Kernel.ConnectionStatus
  ): void => {
    if (status === 'connected' && this.wasCut) {
      this.hello(true);
    }
    this.wasCut = status !== 'connected';
  };

  private onMessage(data: unknown, isLate: boolean): void {
    const message = readMessage(data);
    if (message?.type === 'who') {
      this.hello();
    } else if (message?.type === 'state') {
      this.told = message.state;
      this.lookAtWaiting();
      this.changes.emit();
    } else if (message?.type === 'notice') {
      Notification.warning(message.text, { autoClose: NOTICE_MS });
    } else if (message?.type === 'displays') {
      this.displays.emit(message);
    } else if (message?.type === 'marks') {
      this.marks.emit(message);
    } else if (message?.type === 'report') {
      this.take(message);
    } else if (message?.type === 'request' && message.to === this.kernel.clientId) {
      if (message.op === WITHDRAW) {
        this.due.delete(message.id);
      } else {
        void this.serve(message, isLate);
      }
    }
  }

  private take({ id, ok, data }: IReport): void {
    const told = this.asked.get(id);
    this.asked.delete(id);
    if (ok) {
      told?.resolve(data);
    } else {
      told?.reject(new Error(String(data)));
    }
  }

  private async serve(request: IRequest, isLate: boolean): Promise<void> {
    const reply = (ok: boolean, data: JSONValue): void =>
      this.send({ type: 'reply', id: request.id, ok, data });
    this.due.add(request.id);
    if (isLate) {
      await new Promise<void>(done => setTimeout(done, SETTLE_MS));
    }
    if (!this.due.delete(request.id)) {
      return; // nobody waited for so long
    }
    try {
      const operation = this.operations.get(request.op);
      if (operation === undefined) {
        throw new Refusal('bad-request', `this page has no operation ${request.op}`);
      }
      reply(true, await operation(request.args, this));
    } catch (error) {
      const kind = error instanceof Refusal ? error.kind : 'failed';
      reply(false, { kind, message: error instanceof Error ? error.message : String(error) });
    }
  }

  private reading: ReturnType<typeof setTimeout> | undefined;
  private readonly early: EarlyOutputs;
  private readonly voice: Voice;
  private commId: string | null = null;
  private told: JSONObject = {};
  private readonly lateness = new Lateness();
  private readonly due = new Set<string>();
  private wasCut = false;
  private disposed = false;
  private readonly asked = new Map<string, PromiseDelegate<JSONValue>>();
  private readonly marks = new Signal<AgentKernel, IMarksTold>(this);
  private readonly displays = new Signal<AgentKernel, IDisplays>(this);
  private readonly changes = new Signal<AgentKernel, void>(this);
}

/** A name for what is shown of a question: one that is changed on the way is to be read anew. */
function shownOf({ id, tool, title, cell }: IQuestion): string {
  return JSON.stringify([id, tool, title, cell]);
}
