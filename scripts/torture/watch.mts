// Follows the stream of a run through all that happens, and holds what it saw against the stream as it is read when all is over.

import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, LonghaulError } from 'longhaul';
import type { RunHandle, StreamEvent } from 'longhaul/client';

/** What a stream tells of the log: the same for who watches and for who comes later. */
const lasting: readonly StreamEvent['type'][] = [
  'user',
  'feedback',
  'step-end',
  'call-edited',
  'result',
  'verdict',
  'end',
];

export class Watcher {
  readonly #run: RunHandle;
  readonly #report: (wrong: string) => void;
  readonly #stop = new AbortController();
  /** By run: its events without their positions, in the order in which they came first. */
  #seen = new Map<string, Set<string>>();
  /** The text of the step in progress, by run and turn. */
  #texts = new Map<string, string>();
  #hasEnded = false;
  /** The stream said that nothing happens until people answer, and nobody has answered since then. */
  #isPaused = false;
  /** What happened all the same. */
  #early: string | undefined;
  /** The last event, or how the stream broke. */
  #last = 'none';
  readonly #followed: Promise<void>;

  constructor(run: RunHandle, report: (wrong: string) => void) {
    this.#run = run;
    this.#report = report;
    this.#followed = this.#follow();
  }

  async #follow(): Promise<void> {
    let from: string | undefined;
    while (!this.#stop.signal.aborted && !this.#hasEnded) {
      try {
        const { signal } = this.#stop;
        this.#isPaused = false;
        for await (const event of this.#run.stream({ tree: true, signal, ...(from && { from }) })) {
          from = event.position;
          this.#see(event);
        }
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#last = String(error);
        if (!LonghaulError.is(error)) return this.#report(`a stream broke: ${String(error)}`);
        // The run was taken back: its stream begins anew.
        if (hasCode(error, 'StreamCut')) {
          from = undefined;
          this.#seen = new Map();
          this.#early = undefined;
        }
      }
      await sleep(200);
    }
  }

  #see(event: StreamEvent): void {
    this.#last = `${event.type} of ${event.workflowId} at ${event.position}`;
    this.#hasEnded ||= event.type === 'end' && event.workflowId === event.root;
    const turn = 'turn' in event ? `${event.workflowId} ${event.turn}` : '';
    if (event.type === 'step-begin') this.#texts.set(turn, '');
    if (event.type === 'text') this.#texts.set(turn, (this.#texts.get(turn) ?? '') + event.delta);
    if (event.type === 'step-end') this.#checkText(event, this.#texts.get(turn) ?? '');
    this.#checkPause(event);
    note(this.#seen, event);
  }

  /** An answer comes before all that follows from it. */
  #checkPause({ type, workflowId }: StreamEvent): void {
    if (type === 'paused') this.#isPaused = true;
    if (type === 'verdict' || type === 'user' || type === 'end') this.#isPaused = false;
    if (this.#isPaused && (type === 'step-end' || type === 'result'))
      this.#early ??= `${type} of ${workflowId}`;
  }

  #checkText(
    { content, workflowId, turn }: Extract<StreamEvent, { type: 'step-end' }>,
    streamed: string,
  ): void {
    const said = content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
    if (said === streamed) return;
    this.#report(
      `the stream of ${workflowId} had ${streamed.length} characters for turn ${turn}, its log has ${said.length}`,
    );
  }

  /**
   * After the outcome of the run, which is there before the run ends: it saves its session first, and a save that is lost with its worker
   * takes a minute more. The others of a race go on after the first one, for as long as it takes. `isSame`: nothing of it was taken back.
   */
  async judge(
    isSame: boolean,
    { withinMs, isClosed }: { withinMs: number; isClosed: () => Promise<boolean> },
  ): Promise<void> {
    const given = AbortSignal.timeout(withinMs);
    await Promise.race([this.#followed, new Promise((end) => (given.onabort = end))]);
    const wasLeft = !this.#hasEnded;
    this.stop();
    const { workflowId } = this.#run;
    if (wasLeft && !(await isClosed())) return;
    if (wasLeft && isSame)
      return this.#report(
        `the stream of ${workflowId} did not end with its run; its last event was ${this.#last}`,
      );
    if (!isSame) return;
    if (this.#early !== undefined)
      this.#report(`the stream of ${workflowId} told a pause before ${this.#early}`);
    const later = new Map<string, Set<string>>();
    for await (const event of this.#run.stream({ tree: true, signal: AbortSignal.timeout(60_000) }))
      note(later, event);
    for (const [run, events] of later) this.#compare(run, [...events]);
  }

  #compare(run: string, later: readonly string[]): void {
    const live = [...(this.#seen.get(run) ?? [])];
    const at = later.findIndex((event, index) => event !== live[index]);
    const place = at < 0 && live.length > later.length ? later.length : at;
    if (place < 0) return;
    const clip = (text = 'nothing'): string => text.slice(0, 200);
    this.#report(
      `event ${place} of the stream of ${run} was ${clip(live[place])} for who watched, is ${clip(later[place])} later`,
    );
  }

  stop(): void {
    this.#stop.abort();
  }
}

function note(seen: Map<string, Set<string>>, event: StreamEvent): void {
  if (!lasting.includes(event.type)) return;
  const { position: _, ...rest } = event;
  const events = seen.get(event.workflowId) ?? new Set();
  seen.set(event.workflowId, events.add(JSON.stringify(rest)));
}
