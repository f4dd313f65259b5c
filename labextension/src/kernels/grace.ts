import { ISignal, Signal } from '@lumino/signaling';

/** So long a question stands before a person until they can allow it: as long as at a card that takes the focus. */
export const GRACE_MS = 900;

/**
 * Which questions a person can have read: nobody allows one that has only just come into the place of another.
 *
 * Whoever presses a button twice means the first question. What comes after it, and all that moves up when something
 * was answered, can be allowed only when it has been shown for a while.
 */
export class Grace {
  /** @param now - the clock, in ms. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Tell what waits now in a place, each by a name that changes with what is shown of it. */
  look(place: object, shown: readonly string[]): void {
    const before = this.since.get(place) ?? new Map<string, number>();
    const now = this.now();
    this.since.set(place, new Map(shown.map(name => [name, before.get(name) ?? now])));
    if ([...before.keys()].some(name => !shown.includes(name))) {
      this.restart();
    }
  }

  /** Something was answered: what is there may have moved to where the person presses. */
  restart(): void {
    this.from = this.now();
    this.restarts.emit();
  }

  /** What could be allowed no longer can. */
  get restarted(): ISignal<Grace, void> {
    return this.restarts;
  }

  /** How long it still takes until this can be allowed, 0 when it can; `null` for what is not there. */
  left(place: object, name: string): number | null {
    const since = this.since.get(place)?.get(name);
    return since === undefined
      ? null
      : Math.max(0, Math.max(since, this.from) + GRACE_MS - this.now());
  }

  private from = -Infinity;
  private readonly restarts = new Signal<Grace, void>(this);
  private readonly since = new WeakMap<object, Map<string, number>>();
}
