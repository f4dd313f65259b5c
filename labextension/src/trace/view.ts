/**
 * A trace on the page: the walk of each call through its stages, and for a turn a timeline of its calls.
 *
 * It works without a kernel.
 */
import { JSONValue } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';

import { ICall, inMs, IStage, ITrace, leaves, readTrace, timesInWords } from './model';
import { make, markOf } from './nodes';
import { Timeline } from './timeline';

export class TraceView extends Widget {
  constructor(private readonly trace: ITrace) {
    super({ node: make('section', { 'aria-label': 'Trace' }) });
    this.addClass('jp-AgentTrace');
    this.names = new Map(trace.calls.map((call, at) => [call.id, `${call.tool} (call ${at + 1})`]));
    this.timeline = trace.times.size
      ? new Timeline(trace, this.names, at => this.reveal(at))
      : null;
    const calls = trace.calls.map((call, at) => this.call(call, at));
    this.node.append(...(this.timeline ? [this.timeline.node] : []), ...calls);
  }

  /** Up and down go from line to line, Home and End to the first and last; the rest is for the timeline. */
  handleEvent(event: Event): void {
    const { key, ctrlKey, altKey, metaKey } = event as KeyboardEvent;
    // Those keys are commands of the application wherever one is.
    if (ctrlKey || altKey || metaKey || /^F\d+$/.test(key)) {
      return;
    }
    // What stands in closed details has an `offsetParent` all the same, and takes no focus.
    const lines = [...this.node.querySelectorAll<HTMLElement>('[data-line]')].filter(line =>
      line.checkVisibility()
    );
    const at = lines.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: lines.length - 1
    };
    if (key in steps && at >= 0) {
      lines[Math.min(Math.max(steps[key], 0), lines.length - 1)].focus();
      event.preventDefault();
    } else if (this.timeline?.onKey(key)) {
      event.preventDefault();
    }
    // Keys that a notebook takes for its own in command mode: a, b, d, Enter, the arrows.
    event.stopPropagation();
  }

  /** Open the last stage of the last call: what a person who steps wants to see. */
  openLast(): void {
    const calls = this.node.querySelectorAll<HTMLDetailsElement>('.jp-AgentTrace-call');
    const call = calls[calls.length - 1];
    const stages = call?.querySelectorAll<HTMLDetailsElement>(':scope > ol > li > details');
    [call, stages?.[stages.length - 1]].forEach(each => each && (each.open = true));
  }

  protected onAfterAttach(): void {
    this.node.addEventListener('keydown', this);
  }

  protected onBeforeDetach(): void {
    this.node.removeEventListener('keydown', this);
  }

  private reveal(at: number): void {
    const call = this.node.querySelectorAll<HTMLDetailsElement>('.jp-AgentTrace-call')[at];
    call.open = true;
    call.querySelector('summary')?.focus();
  }

  private call(call: ICall, at: number): HTMLElement {
    const words = timesInWords(call, this.trace.times.get(call.id), this.names);
    const stages = call.stages.map((stage, number) => stageNode(stage, number + 1, call));
    const more = call.leftOut ? [make('li', {}, `${call.leftOut} more stages were not kept.`)] : [];
    const node = make(
      'details',
      { class: 'jp-AgentTrace-call', 'data-status': call.status },
      make(
        'summary',
        { 'data-line': '' },
        markOf(call.status),
        `${at + 1} ${words}`,
        ...(call.subject
          ? [make('span', { class: 'jp-AgentTrace-subject' }, ` · ${call.subject}`)]
          : [])
      ),
      stages.length
        ? make('ol', {}, ...stages, ...more)
        : make('p', {}, 'Its stages were not kept.')
    );
    node.open = this.trace.calls.length === 1;
    return node;
  }

  private readonly names: Map<string, string>;
  private readonly timeline: Timeline | null;
}

/** The trace in the data of an output, or a line that says that it cannot be read. */
export function viewOf(data: unknown): Widget {
  const trace = readTrace(data);
  return trace !== null
    ? new TraceView(trace)
    : new Widget({ node: make('p', {}, 'This trace cannot be read.') });
}

function stageNode(stage: IStage, number: number, call: ICall): HTMLElement {
  const time = stage.ms === null ? '' : ` · ${inMs(stage.ms)}`;
  const head = [markOf(stage.status), `${number} ${stage.name} · ${stage.status}${time}`];
  const reason = stage.reason ? [make('p', {}, stage.reason)] : [];
  const decided = stage.name === 'permission' ? call.decision : [];
  const decision = decided.length
    ? [make('ul', {}, ...decided.map(line => make('li', {}, line)))]
    : [];
  const body = [...reason, ...decision, ...data('in', stage.in), ...data('out', stage.out)];
  const line = body.length
    ? make('details', {}, make('summary', { 'data-line': '' }, ...head), ...body)
    : make('div', { 'data-line': '', tabindex: '0', class: 'jp-AgentTrace-bare' }, ...head);
  return make('li', { 'data-status': stage.status }, line);
}

/** What went into a stage or came out of it, one entry for each value. */
function data(label: string, value: JSONValue | undefined): HTMLElement[] {
  if (value === undefined) {
    return [];
  }
  const entries = leaves(value).flatMap(([path, said]) => [
    make('dt', {}, path),
    make('dd', {}, said)
  ]);
  return [make('p', {}, label), make('dl', {}, ...entries)];
}
