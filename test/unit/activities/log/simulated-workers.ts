import type fc from 'fast-check';
import { LogCache, type ReadPage } from '../../../../src/activities/log/log-cache';
import type { LogEntry, LogEvent, LogRef } from '../../../../src/protocol/log';
import type { LogStep, Script } from './log-steps';
import { userEvent } from '../../core/builders';
import { ReferenceRun, resultEvent, turnEvent } from './reference-run';

export const injectedFailure = 'the query timed out';

type Reading = {
  readonly truth: readonly LogEntry[];
  readonly entries: Promise<readonly LogEntry[]>;
};

/** Two runs and the caches of two worker processes. Reads overlap; the scheduler decides which page comes first. */
export class SimulatedWorkers {
  readonly readings: Reading[] = [];
  readonly #runs = [new ReferenceRun('run-1'), new ReferenceRun('run-2')];
  readonly #refs: LogRef[][] = [[], []];
  readonly #logCaches: LogCache[] = [];
  readonly #retired: LogCache[] = [];
  readonly #script: Script;
  readonly #scheduler: fc.Scheduler;
  #minted = 0;

  constructor(script: Script, scheduler: fc.Scheduler) {
    this.#script = script;
    this.#scheduler = scheduler;
    this.#start(0);
    this.#start(1);
  }

  get statistics(): LogCache['statistics'] {
    const all = [...this.#logCaches, ...this.#retired].map(({ statistics }) => statistics);
    const sum = (key: keyof LogCache['statistics']): number =>
      all.reduce((total, statistics) => total + statistics[key], 0);
    return { hits: sum('hits'), pagesRead: sum('pagesRead'), diverged: sum('diverged') };
  }

  /** Reads both logs on both workers as they stand, with nothing failing. */
  readAll(): void {
    for (const run of [0, 1])
      for (const worker of [0, 1]) this.#read(run, worker, this.#run(run).ref());
  }

  apply(step: Exclude<LogStep, { kind: 'progress' }>): void {
    switch (step.kind) {
      case 'turn':
      case 'result':
        return this.#produce(step);
      case 'own':
        this.#run(step.run).add(userEvent('o'.repeat(step.size)));
        return;
      case 'read': {
        const run = this.#run(step.run);
        const ref = step.whole ? run.ref() : run.nextRef();
        this.#refs[step.run]?.push(ref);
        return this.#read(step.run, step.worker, ref, step.failsAfter);
      }
      case 'read-again': {
        const refs = this.#refs[step.run] ?? [];
        const ref = refs[step.ref % refs.length];
        return ref && this.#read(step.run, step.worker, ref);
      }
      case 'reset': {
        const run = this.#run(step.run);
        return run.resetTo(step.to % (run.length + 1));
      }
      case 'restart':
        return this.#start(step.worker);
    }
  }

  #produce({ kind, run, worker, size, lost }: Extract<LogStep, { kind: 'turn' | 'result' }>): void {
    const { workflowId, length } = this.#run(run);
    const attempt = (): readonly [string, LogEvent] => {
      this.#minted += 1;
      const value = `${this.#minted} `.padEnd(size, 'x');
      const event = kind === 'turn' ? turnEvent(value) : resultEvent(length, value);
      this.#logCaches[worker]?.offer(workflowId, { id: `minted-${this.#minted}`, ...event });
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
    const logCache = this.#logCaches[worker] as LogCache;
    const entries = logCache.read(ref, readPage);
    entries.catch(() => undefined);
    this.readings.push({ truth: this.#run(run).truth(ref), entries });
  }

  #run(index: number): ReferenceRun {
    return this.#runs[index] as ReferenceRun;
  }

  #start(worker: number): void {
    const logCache = this.#logCaches[worker];
    if (logCache) this.#retired.push(logCache);
    this.#logCaches[worker] = new LogCache(this.#script.logCacheBytes);
  }
}
