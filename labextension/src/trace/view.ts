/**
 * A trace on the page: the walk of each call through its stages, and for a turn a timeline of its calls.
 *
 * It works without a kernel, and builds every node by hand: nothing of a trace is ever read as HTML.
 */
import { Widget } from '@lumino/widgets';

import { extent, ICall, inMs, ISpan, IStage, ITrace, spansOf, timesInWords } from './model';

type Child = Node | string;

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  node.append(...children);
  return node;
}

const MARKS: Record<string, string> = {
  ok: '✓',
  skipped: '–',
  edited: '✎',
  denied: '⊘',
  error: '✗',
  interrupted: '■'
};

/** How much of the line one step of zoom leaves. */
const ZOOM = 2;

export class TraceView extends Widget {
  constructor(private readonly trace: ITrace) {
    super({ node: make('section', { 'aria-label': 'Trace' }) });
    this.addClass('jp-AgentTrace');
    [this.from, this.to] = extent(trace.times.values());
    this.names = new Map(trace.calls.map((call, at) => [call.id, `${call.tool} (call ${at + 1})`]));
    this.draw();
  }

  /** Arrows go from line to line, Home and End to the first and last; + and - zoom the timeline. */
  handleEvent(event: Event): void {
    const key = event as KeyboardEvent;
    const lines = [...this.node.querySelectorAll<HTMLElement>('[data-line]')].filter(
      line => line.offsetParent !== null
    );
    const at = lines.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: lines.length - 1
    };
    if (key.key in steps && at >= 0) {
      lines[Math.min(Math.max(steps[key.key], 0), lines.length - 1)].focus();
    } else if ((key.key === '+' || key.key === '-') && this.isTurn) {
      this.zoom(key.key === '+' ? 1 / ZOOM : ZOOM);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  protected onAfterAttach(): void {
    this.node.addEventListener('keydown', this);
  }

  protected onBeforeDetach(): void {
    this.node.removeEventListener('keydown', this);
  }

  private get isTurn(): boolean {
    return this.trace.times.size > 0;
  }

  private draw(): void {
    const { calls } = this.trace;
    const parts: Child[] = this.isTurn ? [this.timeline()] : [];
    this.node.replaceChildren(...parts, ...calls.map((call, at) => this.call(call, at)));
  }

  // ---- the timeline

  private timeline(): HTMLElement {
    const button = (label: string, mark: string, act: () => void): HTMLElement => {
      const node = make('button', { type: 'button', 'aria-label': label, title: label }, mark);
      node.addEventListener('click', act);
      return node;
    };
    const tools = make(
      'p',
      { class: 'jp-AgentTrace-tools' },
      `Timeline, ${inMs(this.from)} to ${inMs(this.to)} `,
      button('Zoom in', '+', () => this.zoom(1 / ZOOM)),
      button('Zoom out', '−', () => this.zoom(ZOOM)),
      ' ▒ queued  █ executing  ░ completed, waiting for those before it'
    );
    const rows = this.trace.calls.map((call, at) => this.row(call, at));
    return make('div', { class: 'jp-AgentTrace-timeline' }, tools, make('ol', {}, ...rows));
  }

  private row(call: ICall, at: number): HTMLElement {
    const times = this.trace.times.get(call.id);
    const words = timesInWords(call, times, this.names);
    const bar = make('span', { class: 'jp-AgentTrace-bar', 'aria-hidden': 'true' });
    for (const span of times ? spansOf(times, this.from, this.to) : []) {
      bar.append(piece(span));
    }
    const line = make(
      'button',
      { type: 'button', 'data-line': '', 'aria-label': words, title: words },
      make('span', { class: 'jp-AgentTrace-name' }, `${at + 1} ${call.tool}`),
      bar
    );
    line.addEventListener('click', () => this.reveal(at));
    return make('li', {}, line);
  }

  private zoom(factor: number): void {
    const [first, last] = extent(this.trace.times.values());
    const span = (this.to - this.from) * factor;
    this.from = Math.max(first, this.from);
    this.to = Math.min(last, this.from + Math.max(span, (last - first) / 1024));
    const open = [...this.node.querySelectorAll('details')].map(each => each.open);
    const line = [...this.node.querySelectorAll('[data-line]')].indexOf(document.activeElement!);
    this.draw();
    this.node.querySelectorAll('details').forEach((each, at) => (each.open = open[at]));
    this.node.querySelectorAll<HTMLElement>('[data-line]')[Math.max(line, 0)]?.focus();
  }

  private reveal(at: number): void {
    const call = this.node.querySelectorAll<HTMLDetailsElement>('.jp-AgentTrace-call')[at];
    call.open = true;
    call.querySelector('summary')?.focus();
  }

  // ---- the walk

  private call(call: ICall, at: number): HTMLElement {
    const words = timesInWords(call, this.trace.times.get(call.id), this.names);
    const stages = call.stages.map((stage, number) => this.stage(stage, number + 1, call));
    const node = make(
      'details',
      { class: 'jp-AgentTrace-call' },
      make('summary', { 'data-line': '' }, `${MARKS[call.status] ?? '·'} ${at + 1} ${words}`),
      stages.length ? make('ol', {}, ...stages) : make('p', {}, 'Its stages were not kept.')
    );
    node.open = this.trace.calls.length === 1;
    return node;
  }

  private stage(stage: IStage, number: number, call: ICall): HTMLElement {
    const time = stage.ms === null ? '' : ` · ${inMs(stage.ms)}`;
    const head = `${MARKS[stage.status] ?? '·'} ${number} ${stage.name} · ${stage.status}${time}`;
    const reason = stage.reason ? [make('p', {}, stage.reason)] : [];
    const decided = stage.name === 'permission' ? call.decision : [];
    const decision = decided.length
      ? [make('ul', {}, ...decided.map(line => make('li', {}, line)))]
      : [];
    const body = [...reason, ...decision, ...data('in', stage.in), ...data('out', stage.out)];
    const summary = make('summary', { 'data-line': '' }, head);
    return make('li', { 'data-status': stage.status }, make('details', {}, summary, ...body));
  }

  private from = 0;
  private to = 0;
  private readonly names: Map<string, string>;
}

function piece(span: ISpan): HTMLElement {
  const style = `left: ${span.left}%; width: ${span.width}%`;
  return make('span', { 'data-status': span.status, style });
}

function data(label: string, value: unknown): HTMLElement[] {
  return value === undefined
    ? []
    : [make('p', {}, label), make('pre', {}, JSON.stringify(value, undefined, 2))];
}
