// A round in memory, on virtual time: the server, the workers and the network of the simulator. The stores are SQLite's, in memory.
//
// 1. A worker that was killed does nothing any more: what it waits for never comes.
// 2. A worker that is frozen waits at whatever it does next outside of itself.

import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ProcessDeltas, SqliteResults, SqliteStores, type Stores } from 'longhaul/stores';
import type { SimWorker } from '../../test/simulator/worker/sim-worker.ts';
import { workflowsOf } from '../../test/simulator/worker/next-build.ts';
import type { Simulation } from '../../test/simulator/simulation.ts';
import { type Engine, type Place, taskQueue, workersEach } from './engine.mts';
import { answerMcp, type HubHandlers, type McpMessage } from './hub.mts';
import { planRound } from './random-plan.mts';
import type { RoundPlan } from './plan.mts';
import type { Effect } from './runners.mts';
import { wantsNewerBuild } from './task-failures.mts';
import { workerOptions } from './worker-options.mts';

const hub = 'http://hub.simulated';
/** Longer than the grace of calls that are under way. */
const longestShutdownMs = 60_000;
const usualCache = 1_000;

type Parts = {
  readonly simulation: Simulation;
  readonly plan: RoundPlan;
  readonly stores: SqliteStores;
  readonly results: SqliteResults | undefined;
  readonly deltas: ProcessDeltas;
  readonly record: (effect: Effect) => void;
};

/** `adapt`: makes the plan of the seed another one. */
export const simEngine = (
  simulation: Simulation,
  adapt: (plan: RoundPlan) => RoundPlan = (plan) => plan,
): Engine => ({
  share: () => 1,
  open: async ({ seed, scale }, onEnd) => {
    const plan = adapt(planRound(seed, scale));
    Object.assign(simulation.server.suggestsAt, plan.settings.suggestsAt);
    const stores = SqliteStores.inMemory();
    const results = plan.settings.hasResults ? new SqliteResults({ path: ':memory:' }) : undefined;
    const deltas = new ProcessDeltas();
    const longhaul = await simulation.client({ taskQueue, deltas, ...(results && { results }) });
    onEnd(async () => {
      await longhaul.close();
      await deltas.close();
      await results?.close();
      await stores.close();
    });
    const effects: Effect[] = [];
    const record = (effect: Effect): void => void effects.push(effect);
    const parts: Parts = { simulation, plan, stores, results, deltas, record };
    return {
      plan,
      longhaul,
      ledger: { record, read: () => effects },
      server: new SimRoundServer(simulation),
      store: {
        memory: stores.memory.default,
        state: stores,
        kill: () => false,
        cut: () => undefined,
      },
      openWorkers: async (given, onWrong) => {
        const handlers = outside(given);
        const workers = new Map<number, SimWorker>();
        const newest = { build: 0 };
        const realFetch = globalThis.fetch;
        globalThis.fetch = fetchFrom(workers, handlers);
        const places = Array.from(
          { length: workersEach },
          () => new SimPlace(parts, { workers, handlers, onWrong, newest }),
        );
        onEnd(async () => {
          globalThis.fetch = realFetch;
          for (const place of places) place.close();
        });
        return await Promise.resolve(places);
      },
    };
  },
});

class SimRoundServer {
  readonly #simulation: Simulation;
  restarts = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  get isDown(): boolean {
    return this.#simulation.server.isDown;
  }

  kill(downMs: number): boolean {
    if (this.isDown) return false;
    const { server } = this.#simulation;
    server.goDown({ forgets: true });
    setTimeout(() => {
      this.restarts += 1;
      server.comeUp();
    }, downMs);
    return true;
  }

  freeze(ms: number): boolean {
    if (this.isDown) return false;
    const { server } = this.#simulation;
    server.goDown({ forgets: false });
    setTimeout(() => server.comeUp(), ms);
    return true;
  }
}

type PlaceOptions = {
  readonly workers: Map<number, SimWorker>;
  readonly handlers: HubHandlers;
  readonly onWrong: (wrong: string) => void;
  /** The newest that a place has had. */
  readonly newest: { build: number };
};

class SimPlace implements Place {
  readonly #parts: Parts;
  readonly #options: PlaceOptions;
  #worker: SimWorker | undefined;
  #isClosed = false;
  #build = 0;
  pid: number | undefined;
  isFrozen = false;
  starts = 0;

  constructor(parts: Parts, options: PlaceOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#start();
  }

  kill(restartMs: number): true {
    this.#worker?.kill();
    this.#again(restartMs);
    return true;
  }

  shutDown(restartMs: number): true {
    const worker = this.#worker;
    if (worker === undefined) return true;
    const { graceMs } = this.#parts.plan.settings;
    this.#worker = undefined;
    this.pid = undefined;
    const late = setTimeout(() => {
      this.#options.onWrong(`a worker did not shut down within ${longestShutdownMs} ms`);
      worker.kill();
    }, longestShutdownMs);
    void worker.shutDown(graceMs).then(() => {
      clearTimeout(late);
      this.#again(restartMs);
    });
    return true;
  }

  freeze(ms: number): true {
    const worker = this.#worker;
    if (worker === undefined || this.isFrozen) return true;
    this.isFrozen = true;
    worker.freeze();
    setTimeout(() => {
      if (this.#worker === worker) this.isFrozen = false;
      worker.thaw();
    }, ms);
    return true;
  }

  deploy(build: number): true {
    if (build === this.#build) return true;
    this.#build = build;
    const { newest } = this.#options;
    newest.build = Math.max(newest.build, build);
    return this.shutDown(0);
  }

  close(): void {
    this.#isClosed = true;
    this.#worker?.kill();
  }

  #again(restartMs: number): void {
    this.#worker = undefined;
    this.pid = undefined;
    this.isFrozen = false;
    setTimeout(() => this.#start(), restartMs);
  }

  #start(): void {
    if (this.#isClosed || this.#worker !== undefined) return;
    const { simulation, plan, stores, results, deltas, record } = this.#parts;
    const { workers, handlers, newest } = this.#options;
    const build = this.#build;
    this.starts += 1;
    const pid = workers.size + 1;
    const awake = async (): Promise<void> => await workers.get(pid)?.awake();
    const reach = {
      pid,
      hub,
      record,
      arrive: async (arrival: Parameters<HubHandlers['arrive']>[0]) => {
        await awake();
        const verdict = await handlers.arrive(arrival);
        await awake();
        return verdict;
      },
      later: async (call: Parameters<HubHandlers['later']>[0]) => {
        await awake();
        handlers.later(call);
      },
    };
    const { app, user, session, memory } = stores;
    const reached: Stores = {
      app: through(app, awake),
      user: through(user, awake),
      session: through(session, awake),
      memory: { default: through(memory.default, awake) },
    };
    const { workerOptions: given, ...longhaul } = workerOptions(plan, reached, reach);
    const { maxCachedWorkflows, interceptors } = given;
    const worker = simulation.worker({
      taskQueue,
      longhaul: {
        ...longhaul,
        deltas,
        ...(results && { results: through(results, awake) }),
      },
      workflows: workflowsOf(build),
      mayFail: ({ message }) => build < newest.build && wantsNewerBuild(message),
      cache: maxCachedWorkflows ?? usualCache,
      interceptors: interceptors?.activity ?? [],
    });
    workers.set(pid, worker);
    this.#worker = worker;
    this.pid = pid;
  }
}

/** What is asked of the campaign is done by it: not in the context of the activity that asks. */
function outside(handlers: HubHandlers): HubHandlers {
  const leave = AsyncLocalStorage.snapshot();
  return new Proxy(handlers, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => leave(() => member.apply(target, args) as unknown);
    },
  });
}

/** The store as a worker reaches it. */
function through<Store extends object>(store: Store, awake: () => Promise<void>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        await awake();
        try {
          return await (member.apply(target, args) as Promise<unknown>);
        } finally {
          await awake();
        }
      };
    },
  });
}

/** The network: requests of workers, which say by a header which one they are. */
function fetchFrom(
  workers: ReadonlyMap<number, SimWorker>,
  handlers: HubHandlers,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const pid = Number(request.headers.get('x-pid'));
    const awake = async (): Promise<void> => await workers.get(pid)?.awake();
    await awake();
    request.signal.throwIfAborted();
    const response = await answered(request, pid, handlers);
    await awake();
    return response;
  };
}

async function answered(request: Request, pid: number, handlers: HubHandlers): Promise<Response> {
  if (request.method !== 'POST') return new Response(null, { status: 405 });
  const body = JSON.parse(await request.text()) as McpMessage;
  if (new URL(request.url).pathname === '/mcp') {
    const answer = await answerMcp(handlers.callMcp, pid, body);
    return answer === undefined ? new Response(null, { status: 202 }) : Response.json(answer);
  }
  const memory = new MemoryResponse(request.signal);
  handlers
    .callModel({ pid, body }, memory as unknown as ServerResponse)
    .catch(() => memory.destroy());
  return await memory.response;
}

/** What a handler writes becomes a response. */
class MemoryResponse extends EventEmitter {
  readonly response: Promise<Response>;
  #begin: (response: Response) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOver = false;

  constructor(signal: AbortSignal) {
    super();
    this.response = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#fail = reject;
    });
    this.response.catch(() => undefined);
    signal.addEventListener('abort', () => this.destroy(signal.reason), { once: true });
  }

  writeHead(status: number, headers: Readonly<Record<string, string>> = {}): this {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#body = controller),
    });
    this.#begin(new Response(body, { status, headers }));
    return this;
  }

  write(text: string, then?: () => void): void {
    if (!this.#isOver) this.#body?.enqueue(Buffer.from(text));
    if (then) queueMicrotask(then);
  }

  end(text = ''): this {
    if (this.#body === undefined) this.writeHead(200);
    if (text !== '') this.write(text);
    if (!this.#isOver) this.#body?.close();
    this.#close();
    return this;
  }

  destroy(reason: unknown = new TypeError('terminated')): void {
    if (!this.#isOver) this.#body?.error(reason);
    this.#fail(new TypeError('fetch failed', { cause: reason }));
    this.#close();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    queueMicrotask(() => this.emit('close'));
  }
}
