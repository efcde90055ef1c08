// Edits on their way: none is lost, none is taken twice.

import assert from "node:assert/strict";
import { test } from "node:test";

import { EditQueue } from "../../rnnviz/ui/components/shared/queue.js";

const change = (value) => [["W_hh", [0, 0], value]];

// A queue whose messages are kept; its clock is the test's.
function queue(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const [sent, waiting] = [[], []];
  const made = new EditQueue((name, value) => sent.push([name, structuredClone(value)]), (isWaiting) => waiting.push(isWaiting));
  return { made, sent, waiting, last: () => sent.at(-1)[1], tick: (ms) => context.mock.timers.tick(ms) };
}

const answer = (acknowledged, more = {}) => ({ session: "s", epoch: 1, acknowledged, ...more });

test("the whole list goes out until it is acknowledged", (context) => {
  const { made, last } = queue(context);
  assert.equal(made.acknowledge(answer(0)), "first");
  made.push(change(1), true);
  made.push(change(2), true);
  assert.deepEqual(last().list.map(({ seq, set }) => [seq, set[0][2]]), [[1, 1], [2, 2]]);
  assert.equal(made.acknowledge(answer(1)), "same");
  assert.deepEqual(made.pending.map(({ seq }) => seq), [2]);
  made.acknowledge(answer(2));
  assert.deepEqual(made.pending, []);
});

test("a newer position of the same drag replaces the older one", (context) => {
  const { made } = queue(context);
  made.acknowledge(answer(0));
  made.push(change(1), true);
  for (const value of [2, 3]) made.push(change(value), false);
  made.push(change(4), true);
  made.push(change(5), true);
  assert.deepEqual(made.pending.map(({ seq, set }) => [seq, set[0][2]]), [[1, 1], [4, 4], [5, 5]]);
});

test("without an answer the same goes out again, as another message, and the reader is told", (context) => {
  const { made, sent, waiting, tick } = queue(context);
  made.acknowledge(answer(0));
  made.push(change(1), true);
  tick(1999);
  assert.equal(sent.length, 1);
  tick(1);
  assert.equal(sent.length, 2);
  assert.deepEqual(sent[1][1].list, sent[0][1].list);
  assert.notEqual(sent[1][1].tries, sent[0][1].tries, "or Streamlit would take it for no change");
  assert.equal(waiting.at(-1), true);
  made.acknowledge(answer(1));
  assert.equal(waiting.at(-1), false);
  tick(10_000);
  assert.equal(sent.length, 2);
});

test("after a new base the old edits fall away", (context) => {
  const { made } = queue(context);
  made.acknowledge(answer(0));
  made.push(change(1), true);
  assert.equal(made.acknowledge(answer(0, { epoch: 2 })), "rebased");
  assert.deepEqual(made.pending, []);
});

test("a restarted server hears everything once more, under its own session", (context) => {
  const { made, sent, last } = queue(context);
  made.acknowledge(answer(0));
  made.push(change(1), true);
  made.push(change(2), true);
  const before = sent.length;
  assert.equal(made.acknowledge(answer(5, { session: "other", epoch: 9 })), "restarted");
  assert.equal(sent.length, before + 1);
  assert.deepEqual([last().session, last().epoch, last().list.length], ["other", 9, 2]);
});

test("mounted anew, it counts on from what the session knows", (context) => {
  const { made, last } = queue(context);
  made.acknowledge(answer(7));
  made.push(change(1), true);
  assert.equal(last().list[0].seq, 8);
});

test("what can be undone counts the edits and undos on their way", (context) => {
  const { made, last } = queue(context);
  made.acknowledge(answer(0));
  assert.equal(made.undoable(2), 2);
  made.push(change(1), true);
  assert.equal(made.undoable(2), 3);
  made.undo();
  made.undo();
  assert.equal(made.undoable(2), 1);
  assert.deepEqual(last().list.map(({ undo }) => undo), [false, true, true]);
});

test("a closed queue sends nothing more", (context) => {
  const { made, sent, tick } = queue(context);
  made.acknowledge(answer(0));
  made.push(change(1), true);
  made.close();
  tick(10_000);
  assert.equal(sent.length, 1);
});
