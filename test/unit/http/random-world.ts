// A tree of runs with random logs, and what a process that follows it knows. Time goes on when somebody waits for news.
import fc from 'fast-check';
import { hashOf } from '../../../src/base/digest';
import { FollowedRun, type Look } from '../../../src/client/stream/followed-run';
import { nothingKnown, showInputs, showPause } from '../../../src/client/stream/run-now';
import { StreamCursor } from '../../../src/client/stream/stream-cursor';
import { decodePosition } from '../../../src/client/stream/position';
import { listedInputId } from '../../../src/core/people/input-ids';
import type { LiveEvent } from '../../../src/protocol/live';
import type { LogEntry, LogEvent } from '../../../src/protocol/log';
import type { Verdict } from '../../../src/protocol/people';
import type { PendingInput } from '../../../src/protocol/run';
import type { StreamEvent, StreamPlace } from '../../../src/core/stream/events';
import {
  attemptsOf,
  logged,
  type Logged,
  underWay,
  type Way,
  way,
} from '../core/stream/random-logs';

export const rootId = 'turn-1';

const places: readonly StreamPlace[] = [
  { root: rootId, workflowId: rootId, path: 'desk', agent: 'desk' },
  { root: rootId, workflowId: `${rootId}.books.1.0~ab`, path: 'desk/books', agent: 'books' },
];

/** What happens in one moment. */
type Moment =
  | { readonly run: number; readonly live: LiveEvent }
  /** A turn and the decisions about it are written at once. */
  | { readonly run: number; readonly entries: readonly LogEntry[] }
  | { readonly asks: true };

/** A piece of a run that people cannot interrupt: a model call with its turn and the decisions about it, or another entry. */
type Block = readonly Moment[];

export type Plan = {
  readonly moments: readonly Moment[];
  /** After each moment: how many entries of each log are read. */
  readonly reads: readonly number[];
  /** How many moments pass while a client waits for news. */
  readonly naps: readonly number[];
};

const aboutTurn: readonly string[] = [
  'repair-call',
  'ignore-call',
  'answer-calls',
  'replace-turn',
  'go-on',
];

function blocksOf(all: Logged, run: number, ways: readonly Way[]): Block[] {
  const attempts = attemptsOf(all, ways);
  const blocks: Moment[][] = [];
  for (const [index, entry] of all.entries.entries()) {
    const [given, events = []] = (entry.kind === 'model-turn' && attempts.shift()) || [];
    const live = given ? underWay(events.flat(), given) : [];
    const place = places[run] as StreamPlace;
    const own = withOwnId({ ...entry, id: `${run}-${index}` });
    const before = blocks.at(-1)?.at(-1);
    const isAbout = entry.kind === 'decision' && aboutTurn.includes(entry.decision.kind);
    if (isAbout && before !== undefined && 'entries' in before)
      blocks.at(-1)?.splice(-1, 1, { run, entries: [...before.entries, own] });
    else
      blocks.push([
        ...live.map((event): Moment => ({ run, live: { ...event, ...place } })),
        { run, entries: [own] },
      ]);
  }
  return blocks;
}

/** People send a message once. */
function withOwnId(entry: LogEntry): LogEntry {
  const isSteered = entry.kind === 'user' && entry.messageId !== undefined;
  return isSteered ? { ...entry, messageId: `${entry.messageId}-${entry.id}` } : entry;
}

const small = logged.map(({ entries, turns }): Logged => {
  const most = 9;
  const kept = entries.slice(0, most);
  return { entries: kept, turns: turns.slice(0, kept.filter(isTurn).length) };
});

function isTurn({ kind }: LogEvent): boolean {
  return kind === 'model-turn';
}

export const plan: fc.Arbitrary<Plan> = fc
  .record({
    root: small,
    below: fc.option(small),
    ways: fc.array(way, { minLength: 1, maxLength: 6 }),
    /** How many blocks come before people are asked. */
    phases: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
    /** Whose moment comes next. */
    turns: fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
    lost: fc.boolean(),
    reads: fc.array(fc.constantFrom(0, 0, 1, 2, 9), { minLength: 1, maxLength: 12 }),
    naps: fc.array(fc.constantFrom(1, 1, 1, 2, 5), { minLength: 1, maxLength: 8 }),
  })
  .map(({ root, below, ways, phases, turns, lost, reads, naps }) => {
    const ownBlocks = blocksOf(root, 0, ways);
    const belowBlocks = below === null ? [] : blocksOf(below, 1, ways);
    const moments: Moment[] = [];
    for (const count of [...phases, Infinity]) {
      const most = Math.min(count, Math.max(ownBlocks.length, belowBlocks.length));
      const [one, other] = [ownBlocks.splice(0, most).flat(), belowBlocks.splice(0, most).flat()];
      for (let at = 0; one.length + other.length > 0; at += 1) {
        const next = turns[at % turns.length] ? (one.shift() ?? other.shift()) : other.shift();
        const moment = next ?? one.shift();
        if (moment !== undefined) moments.push(moment);
      }
      if (count !== Infinity) moments.push({ asks: true });
    }
    if (lost) moments.push(...lostAttempt((root.turns.at(-1) ?? 0) + 1));
    return { moments, reads, naps };
  });

/** A model call that leaves nothing: the run ends before. */
function lostAttempt(turn: number): Moment[] {
  const call = { ...(places[0] as StreamPlace), turn, calledAt: 9, attempt: 1 };
  const delta = { kind: 'text', text: 'lost' } as const;
  return [
    { run: 0, live: { ...call, kind: 'begin' } },
    { run: 0, live: { ...call, kind: 'delta', seq: 0, delta } },
  ];
}

type Asked = PendingInput & { readonly run: number };

export class World {
  readonly now = { ...nothingKnown(), looked: 1 };
  readonly runs: Map<string, FollowedRun>;
  readonly place = places[0] as StreamPlace;
  readonly #plan: Plan;
  readonly #logs: LogEntry[][] = places.map(() => []);
  readonly #read = places.map(() => 0);
  #time = 0;
  #order = 0;
  #naps = 0;
  #pauses = 0;
  #asked: readonly Asked[] = [];
  readonly #decided = new Set<string>();

  constructor(given: Plan) {
    this.#plan = given;
    this.runs = new Map();
    for (const place of places.slice(0, this.#hasBelow ? 2 : 1)) {
      const isRoot = place.workflowId === rootId;
      const options = { place, isAgent: true, isRoot, tree: true };
      this.runs.set(place.workflowId, new FollowedRun({} as never, options));
    }
  }

  get #hasBelow(): boolean {
    return this.#plan.moments.some((moment) => 'run' in moment && moment.run === 1);
  }

  get pending(): readonly PendingInput[] {
    return this.#asked.map(({ run: _run, ...input }) => input);
  }

  get hasEnded(): boolean {
    return this.now.end !== undefined;
  }

  /** What a stream tells, until the run ends. While the run waits, so does the stream. */
  async *stream(from?: string): AsyncGenerator<StreamEvent, void, void> {
    const places = from === undefined ? new Map<string, never>() : decodePosition(rootId, from);
    const cursor = new StreamCursor(this, { places });
    try {
      for (;;) {
        const event = cursor.next() as StreamEvent | undefined;
        if (event !== undefined) yield event;
        else if (cursor.hasEnded) return;
        else if (!this.#goOn()) await this.#answered();
      }
    } finally {
      cursor.close();
    }
  }

  answer(inputId: string): boolean {
    const input = this.#asked.find((each) => each.inputId === inputId);
    if (input === undefined) return false;
    this.#asked = this.#asked.filter((each) => each !== input);
    this.#decided.add(inputId);
    showInputs(this.now, this.pending);
    if (this.#asked.length === 0) this.now.paused = undefined;
    const [ownId = ''] = inputId.split('@');
    const decided = input.kind === 'approval' ? 'approve' : 'answer';
    const verdict: Verdict = { kind: 'verdict', inputId: ownId, verdict: decided, at: 'now' };
    this.#write(input.run, { kind: 'decision', decision: verdict });
    return true;
  }

  async #answered(): Promise<void> {
    for (let turn = 0; turn < 20 && this.#asked.length > 0; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    if (this.#asked.length > 0) throw new Error('a stream waits for what nobody answers');
  }

  /** False if the run waits. */
  #goOn(): boolean {
    if (this.#asked.length > 0) return false;
    const { naps } = this.#plan;
    const nap = naps[this.#naps++ % naps.length] ?? 1;
    for (let count = 0; count < nap && this.#asked.length === 0; count += 1) this.#step();
    return true;
  }

  #step(): void {
    const { moments, reads } = this.#plan;
    const moment = moments[this.#time];
    const most = reads[this.#time % reads.length] ?? 0;
    this.#time += 1;
    if (moment === undefined) return this.#end();
    if ('asks' in moment) {
      this.#readAll(Infinity);
      return this.#ask();
    }
    if ('entries' in moment) this.#logs[moment.run]?.push(...moment.entries);
    else this.#run(moment.run).hear(moment.live, this.#nextOrder);
    this.#readAll(most);
  }

  #end(): void {
    if (this.now.end !== undefined) return;
    this.#readAll(Infinity);
    const end = { type: 'end', status: 'completed' } as const;
    const result = { text: 'done', completionReason: 'end-turn', usage: {} } as never;
    for (const run of this.runs.values()) {
      const isRoot = run.workflowId === rootId;
      run.ended(this.#nextOrder, isRoot ? undefined : { ...run.place, ...end });
    }
    this.now.end = { ...this.place, ...end, result };
  }

  /** Asks about the calls that are open, or about nothing in particular. */
  #ask(): void {
    const asked = this.#openCalls().filter(({ inputId }) => !this.#decided.has(inputId));
    if (asked.length === 0) return;
    this.#asked = asked;
    this.#pauses += 1;
    showInputs(this.now, this.pending);
    showPause(this.now, this.place, this.#pauses);
  }

  #openCalls(): Asked[] {
    return [...this.runs.values()].flatMap((run, at) => {
      const open = new Map<string, { name: string }>();
      const facts = new StreamCursor({ ...this.#only(run) }, { places: new Map() });
      let turns = 0;
      const next = () => facts.next() as StreamEvent | undefined;
      for (let event = next(); event; event = next()) {
        if (event.type === 'step-begin') [turns] = [event.turn, open.clear()];
        if (event.type === 'call') open.set(`${event.turn}.${event.index}`, event.call);
        if (event.type === 'result') open.delete(`${event.turn}.${event.index}`);
        if (event.type === 'user' || event.type === 'feedback') open.clear();
      }
      facts.close();
      const [first] = open;
      if (first === undefined || turns === 0) return [];
      const [place, { name }] = first;
      const isApproval = name !== 'ask_user';
      const ownId = `${isApproval ? 'a' : 'q'}${place}`;
      return [
        {
          run: at,
          inputId: listedInputId(run.workflowId, ownId),
          kind: isApproval ? ('approval' as const) : ('question' as const),
          question: 'May it?',
          agentId: run.place.agent,
          path: run.place.path,
          since: '2026-01-01T00:00:00.000Z',
        },
      ];
    });
  }

  #only(run: FollowedRun) {
    const runs = new Map([[run.workflowId, run]]);
    return { place: run.place, now: nothingKnown(), runs };
  }

  #write(run: number, event: LogEvent): void {
    const log = this.#logs[run] ?? [];
    log.push({ ...event, id: `${run}-v${hashOf(String(log.length)).slice(0, 4)}` });
    this.#readAll(Infinity);
  }

  #run(index: number): FollowedRun {
    return [...this.runs.values()][index] as FollowedRun;
  }

  #readAll(most: number): void {
    for (const [index, run] of [...this.runs.values()].entries()) {
      const log = this.#logs[index] ?? [];
      const known = this.#read[index] ?? 0;
      const entries = wholeGroups(log.slice(known), most);
      if (entries.length === 0) continue;
      this.#read[index] = known + entries.length;
      const execution = { runId: 'x', historyLength: known, status: { name: 'RUNNING' } };
      const look = { execution, entries } as unknown as Look;
      run.tell(look, this.#nextOrder, () => undefined);
    }
  }

  readonly #nextOrder = (): number => (this.#order += 1);
}

/** A turn and the decisions about it are written, and so read, at once. */
function wholeGroups(entries: readonly LogEntry[], most: number): readonly LogEntry[] {
  let end = Math.min(most, entries.length);
  const isAbout = (entry: LogEntry | undefined): boolean =>
    entry?.kind === 'decision' && aboutTurn.includes(entry.decision.kind);
  while (end > 0 && end < entries.length && isAbout(entries[end])) end += 1;
  return entries.slice(0, end);
}
