import {
  extent,
  inMs,
  onLine,
  ISpan,
  ITrace,
  panned,
  Range,
  spansOf,
  ticks,
  timesInWords,
  zoomed
} from './model';
import { button, make, markOf } from './nodes';

/** How much of the line one step of zoom leaves. */
const ZOOM = 2;

/** How much of what is shown one step goes on. */
const STEP = 0.25;

/** So much room has a number on the line (px). */
const TICK_PX = 48;

const MOST_TICKS = 8;

/** A wait that is less of the line than this (percent) would only look like a border. */
const SEEN = 0.5;

const LEGEND: [ISpan['status'], string][] = [
  ['queued', 'queued'],
  ['executing', 'executing'],
  ['asked', 'waiting for you'],
  ['completed', 'completed, not yet yielded']
];

const WHY = 'Point at a call, or go to it with the arrow keys, to read why it waited.';

/**
 * The calls of a turn on one line of time: when each was queued, executing and completed, and for whom it waited.
 *
 * @param onChosen - told of the place of a call that was chosen.
 */
export class Timeline {
  constructor(
    private readonly trace: ITrace,
    names: Map<string, string>,
    onChosen: (at: number) => void
  ) {
    this.whole = this.range = extent(trace.times.values());
    this.axis = make('div', { class: 'jp-AgentTrace-axis', 'aria-hidden': 'true' });
    this.shown = make('span', { role: 'status' });
    // A screen reader has the same words as the name of the line.
    this.why = make('p', { class: 'jp-AgentTrace-why', 'aria-hidden': 'true' }, WHY);
    const rows = trace.calls.map((call, at) => {
      const words = timesInWords(call, trace.times.get(call.id), names);
      const bar = make('span', { class: 'jp-AgentTrace-bar', 'aria-hidden': 'true' });
      const name = make(
        'span',
        { class: 'jp-AgentTrace-name' },
        markOf(call.status),
        `${at + 1} ${call.tool}`,
        make('span', { class: 'jp-AgentTrace-subject' }, ` ${call.subject}`)
      );
      const told = `${at + 1} ${[call.tool, call.subject].join(' ').trim()}: ${words.slice(call.tool.length + 2)}`;
      const line = make(
        'button',
        { type: 'button', 'data-line': '', 'aria-label': told },
        name,
        bar
      );
      line.addEventListener('click', () => onChosen(at));
      for (const event of ['focus', 'mouseenter']) {
        line.addEventListener(event, () => (this.why.textContent = told));
      }
      this.bars.push(bar);
      return make('li', { 'data-status': call.status }, line);
    });
    const scale = make('div', { class: 'jp-AgentTrace-scale', 'aria-hidden': 'true' }, this.axis);
    this.node = make(
      'div',
      { class: 'jp-AgentTrace-timeline', role: 'group', 'aria-label': 'Timeline' },
      this.tools(),
      scale,
      make('ol', {}, ...rows),
      this.why,
      legend()
    );
    // How many numbers have room shows when it is on the page, and changes with it.
    new ResizeObserver(() => this.draw()).observe(this.axis);
    this.draw();
  }

  readonly node: HTMLElement;

  /** What a key does here; says whether it does anything. */
  onKey(key: string): boolean {
    const acts: Record<string, () => void> = {
      '+': () => this.zoom(1 / ZOOM),
      '=': () => this.zoom(1 / ZOOM),
      '-': () => this.zoom(ZOOM),
      '0': () => this.show(this.whole),
      ArrowRight: () => this.show(panned(this.range, this.whole, STEP)),
      ArrowLeft: () => this.show(panned(this.range, this.whole, -STEP))
    };
    acts[key]?.();
    return key in acts;
  }

  private tools(): HTMLElement {
    const keys: [string, string, string][] = [
      ['+', 'Zoom in', '+'],
      ['−', 'Zoom out', '-'],
      ['←', 'Earlier', 'ArrowLeft'],
      ['→', 'Later', 'ArrowRight'],
      ['All', 'Show the whole turn', '0']
    ];
    const buttons = keys.map(([label, hint, key]) => button(label, hint, () => this.onKey(key)));
    return make('div', { class: 'jp-AgentTrace-tools' }, ...buttons, this.shown);
  }

  /** About the call that has the focus, or about the middle. */
  private zoom(factor: number): void {
    const [from, to] = this.range;
    const at = this.bars.findIndex(bar => bar.parentElement === document.activeElement);
    const times = this.trace.times.get(this.trace.calls[at]?.id);
    const began = times && (times.executing ?? times.queued);
    const about = times && began !== undefined ? (began + times.completed) / 2 : (from + to) / 2;
    this.show(zoomed(this.range, this.whole, factor, about));
  }

  private show(range: Range): void {
    this.range = range;
    this.draw();
  }

  private draw(): void {
    const [from, to] = this.range;
    this.trace.calls.forEach((call, at) => {
      const times = this.trace.times.get(call.id);
      const spans = times ? spansOf(times, from, to, call.asked) : [];
      const seen = spans.filter(({ status, width }) => status === 'executing' || width > SEEN);
      this.bars[at].replaceChildren(...seen.map(piece));
    });
    this.drawAxis();
    this.shown.textContent = `${inMs(from)} to ${inMs(to)}`;
  }

  private drawAxis(): void {
    const [from, to] = this.range;
    const wide = Math.max(this.axis.clientWidth, TICK_PX);
    const last = wide - 0.8 * TICK_PX;
    const at = (ms: number): number => ((ms - from) / Math.max(to - from, 1e-9)) * wide;
    const marks = ticks(this.range, Math.min(MOST_TICKS, Math.floor(wide / TICK_PX)))
      .filter(ms => at(ms) <= last)
      .map(ms => make('span', { style: `left: ${at(ms)}px` }, onLine(ms, this.range)));
    this.axis.replaceChildren(...marks);
  }

  private range: Range;
  private readonly whole: Range;
  private readonly axis: HTMLElement;
  private readonly shown: HTMLElement;
  private readonly why: HTMLElement;
  private readonly bars: HTMLElement[] = [];
}

function piece(span: ISpan): HTMLElement {
  const style = `left: ${span.left}%; width: ${span.width}%`;
  return make('span', { 'data-status': span.status, style });
}

function legend(): HTMLElement {
  const entries = LEGEND.map(([status, words]) => {
    const sample = make(
      'span',
      { class: 'jp-AgentTrace-bar' },
      piece({ status, left: 0, width: 100 })
    );
    return make('span', {}, sample, words);
  });
  return make('p', { class: 'jp-AgentTrace-legend' }, ...entries);
}
