// What every carrier of deltas does. Each case uses roots of its own, so that all cases may share one carrier.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Deltas } from '../../src/stores/deltas/deltas';
import type { LiveAttempt, LiveEvent, LivePlace } from '../../src/protocol/live';

/** Handles of one carrier, as two processes have them. In one process, both are the same. */
export type Handles = { readonly worker: Deltas; readonly reader: Deltas };

export function deltasContract(
  open: () => Handles,
): readonly { readonly name: string; run(): Promise<void> }[] {
  return Object.entries(cases).map(([name, run]) => ({ name, run: () => run(open()) }));
}

/** What a listener heard. */
export class Heard {
  readonly events: LiveEvent[] = [];
  #look = (): void => undefined;

  readonly listener = (event: LiveEvent): void => {
    this.events.push(event);
    this.#look();
  };

  async until(isEnough: (heard: Heard) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#look = () => isEnough(this) && resolve();
      this.#look();
    });
  }

  /** Until the last attempt at the last call of the run has ended. */
  async untilMoved(): Promise<void> {
    await this.until(({ events }) => events.at(-1)?.kind === 'moved');
  }

  async untilText(text: string): Promise<void> {
    await this.until((heard) => heard.text === text);
  }

  get text(): string {
    return this.events.map(textOf).join('');
  }

  /** The `seq` that each delta begins at, and the one after the last. */
  get steps(): readonly number[] {
    const deltas = this.events.filter((event) => event.kind === 'delta');
    const last = deltas.at(-1);
    return [...deltas.map(({ seq }) => seq), ...(last ? [last.seq + (last.count ?? 1)] : [])];
  }

  /** True if no delta is missing and none came twice. */
  get isWhole(): boolean {
    const deltas = this.events.filter((event) => event.kind === 'delta');
    return deltas.every(({ seq, count = 1 }, at) => seq + count === this.steps[at + 1]);
  }
}

/** A call of a run that streams text. */
export class Call {
  readonly place: LivePlace;
  readonly #at: LiveAttempt;
  #seq = 0;

  constructor(root: string, { attempt = 1, workflowId = root } = {}) {
    this.place = { root, workflowId, path: 'a/b', agent: 'b' };
    this.#at = { turn: 1, calledAt: 1_000, attempt };
  }

  begin(): LiveEvent {
    return { kind: 'begin', ...this.place, ...this.#at };
  }

  delta(text: string): LiveEvent {
    const seq = this.#seq;
    this.#seq += 1;
    const delta = { kind: 'text' as const, text };
    return { kind: 'delta', ...this.place, ...this.#at, seq, delta };
  }

  end(): LiveEvent {
    return { kind: 'moved', ...this.place, ended: this.#at };
  }
}

export function newRoot(): string {
  return `root-${randomUUID()}`;
}

const words = Array.from({ length: 200 }, (_, index) => `word-${index} `);

function textOf(event: LiveEvent): string {
  return event.kind === 'delta' && event.delta.kind === 'text' ? event.delta.text : '';
}

const cases: Record<string, (handles: Handles) => Promise<void>> = {
  'passes a call on in order, from its beginning to its end': async ({ worker, reader }) => {
    const call = new Call(newRoot());
    const heard = new Heard();
    reader.subscribe(call.place.root, heard.listener);
    worker.publish(call.begin());
    for (const word of words) {
      worker.publish(call.delta(word));
      await Promise.resolve();
    }
    worker.publish(call.end());
    await heard.untilMoved();
    assert.deepEqual(heard.events[0], call.begin());
    assert.deepEqual(heard.events.at(-1), call.end());
    assert.equal(heard.text, words.join(''));
    assert.ok(heard.isWhole);
  },

  'gives a late reader the call in progress, and what follows': async ({ worker, reader }) => {
    const call = new Call(newRoot());
    const [early, late] = [new Heard(), new Heard()];
    reader.subscribe(call.place.root, early.listener);
    worker.publish(call.begin());
    for (const word of words) worker.publish(call.delta(word));
    await early.untilText(words.join(''));
    reader.subscribe(call.place.root, late.listener);
    await late.untilText(words.join(''));
    worker.publish(call.delta('more'));
    for (const heard of [early, late]) {
      await heard.untilText(`${words.join('')}more`);
      assert.equal(heard.events[0]?.kind, 'begin');
      assert.ok(heard.isWhole);
    }
  },

  'gives a late reader only the newest attempt': async ({ worker, reader }) => {
    const root = newRoot();
    const [lost, next] = [new Call(root), new Call(root, { attempt: 2 })];
    const [early, late] = [new Heard(), new Heard()];
    reader.subscribe(root, early.listener);
    worker.publish(lost.begin());
    worker.publish(lost.delta('lost'));
    worker.publish(next.begin());
    worker.publish(next.delta('next'));
    await early.until(({ text }) => text.endsWith('next'));
    reader.subscribe(root, late.listener);
    await late.untilText('next');
  },

  'tells the runs of a tree apart, and hears no other tree': async ({ worker, reader }) => {
    const root = newRoot();
    const calls = Array.from({ length: 400 }, (_, index) => {
      return new Call(root, { workflowId: `${root}-${index}` });
    });
    const stranger = new Call(newRoot());
    const heard = new Heard();
    reader.subscribe(root, heard.listener);
    for (const event of ['begin', 'delta', 'end'] as const)
      for (const call of [stranger, ...calls]) worker.publish(call[event](call.place.workflowId));
    await heard.until(({ events }) => {
      const ended = events.filter(({ kind }) => kind === 'moved');
      return new Set(ended.map(({ workflowId }) => workflowId)).size === calls.length;
    });
    const said = heard.events.filter((event) => event.kind === 'delta');
    assert.equal(new Set(said.map(textOf)).size, calls.length);
    assert.ok(said.every((event) => textOf(event) === event.workflowId));
    assert.ok(heard.events.every((event) => event.root === root));
  },

  'shows a gap': async ({ worker, reader }) => {
    const call = new Call(newRoot());
    const heard = new Heard();
    reader.subscribe(call.place.root, heard.listener);
    worker.publish(call.begin());
    worker.publish(call.delta('one'));
    call.delta('lost');
    worker.publish(call.delta('three'));
    worker.publish(call.end());
    await heard.untilMoved();
    assert.deepEqual(heard.steps, [0, 2, 3]);
  },

  'keeps any text as it is': async ({ worker, reader }) => {
    const text = 'a\u0000b "\\x" \' \n {} 漢字 🚀 \ud800 \\u0000 $1';
    const call = new Call(`${newRoot()} '; -- "\\ ünï`);
    const heard = new Heard();
    reader.subscribe(call.place.root, heard.listener);
    worker.publish(call.begin());
    worker.publish(call.delta(text));
    worker.publish(call.end());
    await heard.untilMoved();
    assert.equal(heard.text, text);
  },

  'brings the end of a call that says too much': async ({ worker, reader }) => {
    const call = new Call(newRoot());
    const heard = new Heard();
    reader.subscribe(call.place.root, heard.listener);
    worker.publish(call.begin());
    for (let piece = 0; piece < 30; piece += 1) worker.publish(call.delta('x'.repeat(100_000)));
    worker.publish(call.end());
    await heard.untilMoved();
    assert.ok(heard.text.length >= 1_000_000);
  },

  'says that a run moved, with no call in progress': async ({ worker, reader }) => {
    const { place } = new Call(newRoot());
    const heard = new Heard();
    reader.subscribe(place.root, heard.listener);
    worker.publish({ kind: 'moved', ...place });
    await heard.untilMoved();
  },

  'goes on after a listener threw': async ({ worker, reader }) => {
    const call = new Call(newRoot());
    const [other, throwing] = [new Heard(), new Heard()];
    reader.subscribe(call.place.root, (event) => {
      throwing.listener(event);
      throw new Error('of the listener');
    });
    reader.subscribe(call.place.root, other.listener);
    worker.publish(call.begin());
    worker.publish(call.delta('one'));
    worker.publish(call.end());
    await Promise.all([other.untilMoved(), throwing.untilMoved()]);
    assert.deepEqual(other.events, throwing.events);
  },

  'calls a listener neither within publish nor within subscribe': async ({ worker, reader }) => {
    const call = new Call(newRoot());
    const [first, second] = [new Heard(), new Heard()];
    reader.subscribe(call.place.root, first.listener);
    worker.publish(call.begin());
    assert.equal(first.events.length, 0);
    await first.until(({ events }) => events.length === 1);
    reader.subscribe(call.place.root, second.listener);
    assert.equal(second.events.length, 0);
    await second.until(({ events }) => events.length === 1);
  },

  'ends a subscription, and leaves the others': async ({ worker, reader }) => {
    const call = new Call(newRoot());
    const [ended, other] = [new Heard(), new Heard()];
    const end = reader.subscribe(call.place.root, ended.listener);
    reader.subscribe(call.place.root, other.listener);
    worker.publish(call.begin());
    await Promise.all([ended, other].map((one) => one.until(({ events }) => events.length === 1)));
    end();
    end();
    worker.publish(call.end());
    await other.untilMoved();
    assert.equal(ended.events.length, 1);
  },
};

/** Needs handles that nobody else uses. */
export async function checkClose({ worker, reader }: Handles): Promise<void> {
  const call = new Call(newRoot());
  const heard = new Heard();
  reader.subscribe(call.place.root, heard.listener);
  worker.publish(call.begin());
  await heard.until(({ events }) => events.length === 1);
  await Promise.all([reader.close(), worker.close()]);
  await Promise.all([reader.close(), worker.close()]);
  worker.publish(call.end());
  reader.subscribe(call.place.root, heard.listener)();
  assert.equal(heard.events.length, 1);
}
