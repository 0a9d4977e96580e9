import type fc from 'fast-check';
import { LogReplica, type ReadPage } from '../../../src/activities/log/log-replica';
import type { LogEntry, LogEvent, LogRef } from '../../../src/protocol/log';
import type { Happening, Script } from './happenings';
import { resultEvent, TrueRun, turnEvent, userEvent } from './true-run';

export const injectedFailure = 'the query timed out';

type Reading = {
  readonly truth: readonly LogEntry[];
  readonly entries: Promise<readonly LogEntry[]>;
};

/** Two runs and the replicas of two worker processes. Reads overlap; the scheduler decides which page comes first. */
export class ReplicaWorld {
  readonly readings: Reading[] = [];
  readonly #runs = [new TrueRun('run-1'), new TrueRun('run-2')];
  readonly #refs: LogRef[][] = [[], []];
  readonly #replicas: LogReplica[] = [];
  readonly #retired: LogReplica[] = [];
  readonly #script: Script;
  readonly #scheduler: fc.Scheduler;
  #minted = 0;

  constructor(script: Script, scheduler: fc.Scheduler) {
    this.#script = script;
    this.#scheduler = scheduler;
    this.#start(0);
    this.#start(1);
  }

  get statistics(): LogReplica['statistics'] {
    const all = [...this.#replicas, ...this.#retired].map(({ statistics }) => statistics);
    const sum = (key: keyof LogReplica['statistics']): number =>
      all.reduce((total, statistics) => total + statistics[key], 0);
    return { hits: sum('hits'), pagesRead: sum('pagesRead'), diverged: sum('diverged') };
  }

  /** Reads both logs on both workers as they stand, with nothing failing. */
  readAll(): void {
    for (const run of [0, 1])
      for (const worker of [0, 1]) this.#read(run, worker, this.#run(run).ref());
  }

  apply(happening: Exclude<Happening, { kind: 'progress' }>): void {
    switch (happening.kind) {
      case 'turn':
      case 'result':
        return this.#produce(happening);
      case 'own':
        this.#run(happening.run).add(userEvent('o'.repeat(happening.size)));
        return;
      case 'read': {
        const run = this.#run(happening.run);
        const ref = happening.whole ? run.ref() : run.announce();
        this.#refs[happening.run]?.push(ref);
        return this.#read(happening.run, happening.worker, ref, happening.failsAfter);
      }
      case 'read-again': {
        const refs = this.#refs[happening.run] ?? [];
        const ref = refs[happening.ref % refs.length];
        return ref && this.#read(happening.run, happening.worker, ref);
      }
      case 'reset': {
        const run = this.#run(happening.run);
        return run.resetTo(happening.to % (run.length + 1));
      }
      case 'restart':
        return this.#start(happening.worker);
    }
  }

  #produce({
    kind,
    run,
    worker,
    size,
    lost,
  }: Extract<Happening, { kind: 'turn' | 'result' }>): void {
    const { workflowId, length } = this.#run(run);
    const attempt = (): readonly [string, LogEvent] => {
      this.#minted += 1;
      const value = `${this.#minted} `.padEnd(size, 'x');
      const event = kind === 'turn' ? turnEvent(value) : resultEvent(length, value);
      this.#replicas[worker]?.offer(workflowId, { id: `minted-${this.#minted}`, ...event });
      return [`minted-${this.#minted}`, event];
    };
    for (let count = 0; count < lost; count += 1) attempt();
    const [id, event] = attempt();
    this.#run(run).add(event, id);
  }

  #read(run: number, worker: number, ref: LogRef, failsAfter = Number.POSITIVE_INFINITY): void {
    const pages = this.#run(run).pages(ref, this.#script.pageBytes);
    let asked = 0;
    const readPage: ReadPage = async (from) => {
      asked += 1;
      const fails = asked > failsAfter;
      await this.#scheduler.schedule(Promise.resolve());
      if (fails) throw new Error(injectedFailure);
      return await pages(from);
    };
    const replica = this.#replicas[worker] as LogReplica;
    const entries = replica.read(ref, readPage);
    entries.catch(() => undefined);
    this.readings.push({ truth: this.#run(run).truth(ref), entries });
  }

  #run(index: number): TrueRun {
    return this.#runs[index] as TrueRun;
  }

  #start(worker: number): void {
    const replica = this.#replicas[worker];
    if (replica) this.#retired.push(replica);
    this.#replicas[worker] = new LogReplica(this.#script.replicaBytes);
  }
}
