// Edits on their way to Python.

/** @import { Change, Edit, SetStateValue, Sync } from "./types" */

const RESEND_AFTER = 2000; // ms without an answer

// Every edit that the server has not acknowledged yet; the whole list goes out each time, so that none is lost.
export class EditQueue {
  /** @param {SetStateValue} send @param {(isWaiting: boolean) => void} onWaiting */
  constructor(send, onWaiting) {
    this.send = send;
    this.onWaiting = onWaiting;
    /** @type {Edit[]} */
    this.pending = [];
    this.sequence = 0;
    this.tries = 0;
    /** @type {string | null} */
    this.session = null;
    /** @type {number | null} */
    this.epoch = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  // The last change of the page is to be undone, after the edits before it in the queue.
  undo() {
    this.pending.push({ seq: ++this.sequence, set: [], settled: true, undo: true });
    this.flush();
  }

  // How many changes can be undone, of `known` on the server and of those on their way.
  /** @param {number} known */
  undoable(known) {
    return this.pending.reduce((count, { undo }) => count + (undo ? -1 : 1), known);
  }

  /** @param {Change[]} set @param {boolean} settled */
  push(set, settled) {
    const last = this.pending.at(-1);
    if (last && !last.settled) this.pending.pop(); // a newer position of the same drag
    this.pending.push({ seq: ++this.sequence, set, settled, undo: false });
    this.flush();
  }

  flush() {
    clearTimeout(this.timer);
    if (!this.pending.length) {
      this.onWaiting(false);
      return;
    }
    this.tries += 1;
    this.send("edits", { session: this.session, epoch: this.epoch, tries: this.tries, list: [...this.pending] });
    this.timer = setTimeout(() => {
      this.onWaiting(true);
      this.flush();
    }, RESEND_AFTER);
  }

  // The server's answer: "same" base as before, "rebased" (nothing of the old stands), the "first" one, or of a
  // "restarted" server, which is told everything once more.
  /** @param {Sync} answer */
  acknowledge({ session, epoch, acknowledged }) {
    const isFirst = this.session === null;
    const isRestarted = !isFirst && session !== this.session;
    const isRebased = !isFirst && !isRestarted && epoch !== this.epoch;
    Object.assign(this, { session, epoch });
    if (isRebased) this.pending = [];
    else if (!isRestarted) this.pending = this.pending.filter(({ seq }) => seq > acknowledged);
    if (isFirst) this.sequence = Math.max(this.sequence, acknowledged); // mounted anew within a session
    if (isRestarted || !this.pending.length) this.flush();
    return isFirst ? "first" : isRestarted ? "restarted" : isRebased ? "rebased" : "same";
  }

  close() {
    clearTimeout(this.timer);
  }
}
