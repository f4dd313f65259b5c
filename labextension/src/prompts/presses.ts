/** Which presses of keys are meant for what waits: a key that is held, or one in a dialog, is not. */
export class Presses {
  constructor() {
    // On the window and before everybody else: the application has its shortcuts from the document. It may carry them
    // out later, so a press is judged when it comes.
    window.addEventListener('keydown', event => this.onKey(event), true);
    window.addEventListener('pointerdown', () => (this.isFresh = true), true);
  }

  /**
   * Whether a command that comes now can be an answer. Each press answers once: a key that repeats itself would allow
   * one question after the other, and nobody can have read those that come while it is held.
   */
  take(): boolean {
    const isMeant = this.isFresh;
    this.isFresh = false;
    return isMeant;
  }

  private onKey({ key, repeat, target }: KeyboardEvent): void {
    if (!MODIFIERS.includes(key)) {
      const isInDialog = target instanceof Element && target.closest('.jp-Dialog') !== null;
      this.isFresh = !repeat && !isInDialog;
    }
  }

  private isFresh = false;
}

const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta'];
