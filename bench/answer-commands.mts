// The side of a measured process: does what bench/measured.mts asks for, and says how long it took and what it cost.
// It knows no Temporal, so that every contestant brings its own version of it.

export type Command =
  /** One run of so many model calls; all but the last one ask for a tool. */
  | { readonly kind: 'turns'; readonly turns: number }
  /** So many more runs that wait for a person. */
  | { readonly kind: 'wait'; readonly runs: number };

export type Answer = {
  readonly workflowId: string;
  readonly ms: number;
  /** Of the whole process: worker and client, all threads. */
  readonly cpuMs: number;
  readonly rssBytes: number;
};

export type Contestant = {
  /** From the start to the result; returns the workflow id. */
  turns(count: number): Promise<string>;
  /** Until the run waits. */
  wait(): Promise<void>;
};

export const pageText = 'The quick brown fox jumps over the lazy dog. '.repeat(92).slice(0, 4096);

const startedAtOnce = 10;

export function answerCommands(contestant: Contestant): void {
  const work = async (command: Command): Promise<string> => {
    if (command.kind === 'turns') return await contestant.turns(command.turns);
    for (let started = 0; started < command.runs; started += startedAtOnce) {
      await Promise.all(Array.from({ length: startedAtOnce }, () => contestant.wait()));
    }
    return '';
  };
  process.on('message', (command: Command) => {
    const began = { time: performance.now(), cpu: process.cpuUsage() };
    void work(command).then((workflowId) => {
      const ms = performance.now() - began.time;
      const { user, system } = process.cpuUsage(began.cpu);
      const answer = { workflowId, ms, cpuMs: (user + system) / 1_000 };
      process.send?.({ ...answer, rssBytes: process.memoryUsage.rss() } satisfies Answer);
    });
  });
  process.on('disconnect', () => process.exit());
}

/** Polls what a server says of a run until it is so. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
