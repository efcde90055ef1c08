// Edits on their way to Python.

const RESEND_AFTER = 2000; // ms without an answer

// Every edit that the server has not acknowledged yet; the whole list goes out each time, so that none is lost.
export class EditQueue {
  constructor(send, onWaiting) {
    Object.assign(this, { send, onWaiting, pending: [], sequence: 0, tries: 0, session: null, epoch: null });
  }

  // The last change of the page is to be undone, after the edits before it in the queue.
  undo() {
    this.pending.push({ seq: ++this.sequence, set: [], settled: true, undo: true });
    this.flush();
  }

  // How many changes can be undone, of `known` on the server and of those on their way.
  undoable(known) {
    return this.pending.reduce((count, { undo }) => count + (undo ? -1 : 1), known);
  }

  push(set, settled) {
    const last = this.pending.at(-1);
    if (last && !last.settled) this.pending.pop(); // a newer position of the same drag
    this.pending.push({ seq: ++this.sequence, set, settled });
    this.flush();
  }

  flush() {
    clearTimeout(this.timer);
    if (!this.pending.length) {
      this.onWaiting(false);
      return;
    }
    this.tries += 1;
    const list = this.pending.map(({ seq, set, settled, undo = false }) => ({ seq, set, settled, undo }));
    this.send("edits", { session: this.session, epoch: this.epoch, tries: this.tries, list });
    this.timer = setTimeout(() => {
      this.onWaiting(true);
      this.flush();
    }, RESEND_AFTER);
  }

  // The server's answer: "same" base as before, "rebased" (nothing of the old stands), the "first" one, or of a
  // "restarted" server, which is told everything once more.
  acknowledge({ session, epoch, acknowledged }) {
    const restarted = this.session !== null && session !== this.session;
    const rebased = !restarted && this.epoch !== null && epoch !== this.epoch;
    const first = this.session === null;
    Object.assign(this, { session, epoch });
    if (rebased) this.pending = [];
    else if (!restarted) this.pending = this.pending.filter(({ seq }) => seq > acknowledged);
    if (first) this.sequence = Math.max(this.sequence, acknowledged); // mounted anew within a session
    if (restarted) this.flush();
    else if (!this.pending.length) this.flush();
    return first ? "first" : restarted ? "restarted" : rebased ? "rebased" : "same";
  }

  close() {
    clearTimeout(this.timer);
  }
}
