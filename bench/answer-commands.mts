// The side of a measured process: does what bench/measured.mts asks for, and says how long it took and what it cost.
// It knows no Temporal, so that every contestant brings its own version of it.

export type Command =
  /** So many runs at once, of so many model calls each; all calls but the last one ask for a tool. */
  | { readonly kind: 'turns'; readonly turns: number; readonly runs?: number }
  /** So many more runs that wait for a person. */
  | { readonly kind: 'wait'; readonly runs: number }
  /** Replays an execution a few times; the cost is that of the cheapest. */
  | { readonly kind: 'replay'; readonly history: unknown }
  /** Does nothing, and says how often the process has read a log. */
  | { readonly kind: 'look' };

export type Answer = {
  /** Of the runs of `turns`. */
  readonly workflowIds: readonly string[];
  readonly ms: number;
  /** Of the whole process: worker and client, all threads. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** How often this process read the log of a run from the run, since it began. */
  readonly logReads: number;
  /** What this process has sent as telemetry since it began. */
  readonly telemetryBytes: number;
};

export type Contestant = {
  /** From the start to the result; returns the workflow id. */
  turns(count: number): Promise<string>;
  /** Until the run waits. */
  wait(): Promise<void>;
  replays(copies: readonly ReplayCopy[]): AsyncIterable<Replayed>;
  logReads?(): number;
  telemetryBytes?(): number;
};

export const pageText = 'The quick brown fox jumps over the lazy dog. '.repeat(92).slice(0, 4096);

const startedAtOnce = 20;
const replayedTimes = 6;

type ReplayCopy = { readonly workflowId: string; readonly history: unknown };

type Replayed = { readonly error?: Error | undefined };

type Cost = Pick<Answer, 'ms' | 'cpuMs'>;

export function answerCommands(contestant: Contestant): void {
  process.on('message', (command: Command) => {
    const since = costSince();
    void work(contestant, command).then(({ workflowIds = [], cost = since() }) => {
      const logReads = contestant.logReads?.() ?? 0;
      const telemetryBytes = contestant.telemetryBytes?.() ?? 0;
      const rssBytes = process.memoryUsage.rss();
      const answer: Answer = { workflowIds, ...cost, rssBytes, logReads, telemetryBytes };
      process.send?.(answer);
    });
  });
  process.on('disconnect', () => process.exit());
}

type Done = { readonly workflowIds?: readonly string[]; readonly cost?: Cost };

async function work(contestant: Contestant, command: Command): Promise<Done> {
  switch (command.kind) {
    case 'turns': {
      const { turns, runs = 1 } = command;
      return { workflowIds: await Promise.all(times(runs, () => contestant.turns(turns))) };
    }
    case 'wait':
      for (let started = 0; started < command.runs; started += startedAtOnce) {
        await Promise.all(times(startedAtOnce, () => contestant.wait()));
      }
      return {};
    case 'replay':
      return { cost: await replayCost(command.history, (copies) => contestant.replays(copies)) };
    case 'look':
      return {};
  }
}

/** What the cheapest of a few replays costs, without the first, which warms up. */
export async function replayCost(
  history: unknown,
  replays: (copies: readonly ReplayCopy[]) => AsyncIterable<Replayed>,
): Promise<Cost> {
  const copies = Array.from({ length: replayedTimes }, (_, copy) => `copy-${copy}`);
  const costs: Cost[] = [];
  let since = costSince();
  for await (const { error } of replays(copies.map((workflowId) => ({ workflowId, history })))) {
    if (error !== undefined) throw error;
    costs.push(since());
    since = costSince();
  }
  const [, ...warm] = costs;
  return warm.reduce((least, cost) => (cost.cpuMs < least.cpuMs ? cost : least));
}

function costSince(): () => Cost {
  const began = { time: performance.now(), cpu: process.cpuUsage() };
  return () => {
    const { user, system } = process.cpuUsage(began.cpu);
    return { ms: performance.now() - began.time, cpuMs: (user + system) / 1_000 };
  };
}

function times<Result>(count: number, make: () => Result): Result[] {
  return Array.from({ length: count }, make);
}

/** Polls what a server says of a run until it is so. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 100));
}
