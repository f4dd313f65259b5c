/**
 * Does a message come late? A browser freezes tabs behind others, a network fails or stalls: what was said meanwhile
 * comes all at once when that is over, and what was taken back of it only behind that.
 *
 * The clocks of kernel and page need not agree: the quickest message so far tells how far they are apart.
 */
export class Lateness {
  /**
   * Whether a message came much later than others do.
   *
   * @param date - when it was sent, as its header says. @param now - in ms since the epoch.
   */
  isLate(date: string, now = Date.now()): boolean {
    const took = now - Date.parse(date);
    if (Number.isNaN(took)) {
      return false;
    }
    this.least = Math.min(this.least, took);
    return took - this.least > LATE_MS;
  }

  private least = Infinity;
}

const LATE_MS = 400;
