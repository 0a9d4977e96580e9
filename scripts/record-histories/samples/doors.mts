// How code reads each stored form, at the door where the form comes in. The recording writes down what the version of the day reads; every
// later version must read the same. The modules come from who calls: the package, or the source.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type * as refusals from '../../../src/activities/definition/refusals.ts';
import type * as modelCalls from '../../../src/activities/model/call-model.ts';
import type * as toolTokens from '../../../src/activities/tool/begin-call.ts';
import type * as agentRuns from '../../../src/agent-run/agent-run.ts';
import type * as budgets from '../../../src/core/budget/budget.ts';
import type * as plans from '../../../src/core/orchestration/create-plan.ts';
import type * as tokens from '../../../src/core/people/result-token.ts';
import type * as steering from '../../../src/core/people/steering.ts';
import type * as keyHashes from '../../../src/core/key-hashes.ts';
import type * as machines from '../../../src/core/machine/agent-machine.ts';
import type * as origins from '../../../src/core/origin.ts';
import type * as positions from '../../../src/client/stream/position.ts';
import type * as deltas from '../../../src/stores/deltas/postgres/delta-rows.ts';
import type * as errors from '../../../src/protocol/errors.ts';
import type * as fileResults from '../../../src/stores/results/file-results.ts';
import type * as memoryTurns from '../../../src/stores/state/memory-turn.ts';
import type * as sqlite from '../../../src/stores/state/sqlite/sqlite-stores.ts';
import type * as stateTexts from '../../../src/stores/state/state-text.ts';
import type * as deflated from '../../../src/workflows/deflated-json.ts';
import type * as answers from '../../../src/workflows/people/answers.ts';
import type * as messages from '../../../src/workflows/children/messages.ts';
import type * as requests from '../../../src/workflows/lifecycle/requests.ts';
import type * as runLogs from '../../../src/workflows/log/run-log.ts';
import type * as retries from '../../../src/workflows/display/retried-calls.ts';
import type * as agentSteering from '../../../src/workflows/agent/steering.ts';
import type * as carriedRuns from '../../../src/workflows/run/carried-run.ts';
import type * as sessions from '../../../src/workflows/run/run-session.ts';
import type * as carriedThreads from '../../../src/workflows/thread/carried-thread.ts';
import type * as threadTurns from '../../../src/workflows/thread/thread-turns.ts';
import { playAgentRun, playMachine, playPlan } from './play.mts';

/** Loads a module of the package by its path below `src`. */
export type Load = <Module>(path: string) => Promise<Module>;

/** What a stored value reads as. */
export type Door = (value: never, load: Load) => Promise<unknown>;

export type Sqlite = {
  readonly statements: readonly string[];
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
};

const key = { appName: 'app', userId: 'ada', sessionId: 'one' };

async function carriedRun(value: carriedRuns.CarriedRun, load: Load): Promise<unknown> {
  const { deflateJson } = await load<typeof deflated>('workflows/deflated-json');
  const { unpack } = await load<typeof carriedRuns>('workflows/run/carried-run');
  const { AgentMachine } = await load<typeof machines>('core/machine/agent-machine');
  const { RunLog } = await load<typeof runLogs>('workflows/log/run-log');
  const { restorePlan } = await load<typeof plans>('core/orchestration/create-plan');
  const { RunSession } = await load<typeof sessions>('workflows/run/run-session');
  const { Steering } = await load<typeof agentSteering>('workflows/agent/steering');
  const carried = unpack(deflateJson(value));
  const log = new RunLog({
    workflowId: 'run',
    runId: 'execution',
    ...(carried.entries && { entries: carried.entries }),
  });
  const session = new RunSession(carried.session);
  const unread = new Steering(carried.steering);
  const { config } = carried.definition;
  return {
    goesOn: carried.machine
      ? playMachine(AgentMachine.fromJSON(carried.machine, log))
      : playPlan(restorePlan(config as never, carried.plan)),
    log: log.ref().length,
    session: session.carry(),
    steering: { unread: unread.unread, read: unread.read },
    ...(await requestsAndBudget(carried, load)),
  };
}

async function requestsAndBudget(
  carried: Pick<carriedRuns.CarriedRun, 'requests' | 'budget'>,
  load: Load,
): Promise<object> {
  const { openRequests } = await load<typeof requests>('workflows/lifecycle/requests');
  const { RunBudget } = await load<typeof budgets>('core/budget/budget');
  const { phase, inputs } = openRequests(carried.requests);
  const budget = new RunBudget();
  budget.restore(carried.budget);
  return {
    requests: {
      status: phase.status,
      pauseSeq: inputs.pauseSeq,
      pending: inputs.pending,
      answered: carried.requests.answered.map(([id]) => [id, inputs.taken.of(id) !== undefined]),
    },
    budget: { spend: budget.spend, usedUp: budget.usedUp ?? null },
  };
}

async function carriedThread(value: carriedThreads.CarriedThread, load: Load): Promise<unknown> {
  const { deflateJson } = await load<typeof deflated>('workflows/deflated-json');
  const { unpackThread } = await load<typeof carriedThreads>('workflows/thread/carried-thread');
  const { ThreadTurns } = await load<typeof threadTurns>('workflows/thread/thread-turns');
  const carried = unpackThread(deflateJson(value));
  const turns = new ThreadTurns(carried.turns);
  return {
    views: turns.views(carried.entries ?? []),
    known: carried.turns.done.map(({ messageId }) => turns.known(messageId) ?? null),
    next: turns.next() ?? null,
    count: turns.count,
    cleared: carried.turns.done.map((turn) => turns.isCleared(turn)),
    session: carried.session,
    memory: carried.memory ?? null,
    saves: carried.saves,
    ...(await requestsAndBudget(carried, load)),
  };
}

type SentSignal = { readonly signal: string; readonly payload: unknown };

async function signal({ signal: name, payload }: SentSignal, load: Load): Promise<unknown> {
  const { childInputs, childOutcome } = await load<typeof messages>('workflows/children/messages');
  const { inputAnswer, knownOf, readAnswer, readCancelling } = await load<typeof answers>(
    'workflows/people/answers',
  );
  const { readSteer, steerMembers } = await load<typeof steering>('core/people/steering');
  const { RetriedCalls } = await load<typeof retries>('workflows/display/retried-calls');
  const retried = (note: unknown): unknown => {
    const calls = new RetriedCalls();
    const { activityId } = note as { readonly activityId: string };
    const summary = '#1 openai/gpt the call';
    calls.watch({ activityId, type: 'callModel', summary }, new Promise(() => undefined));
    const isNews = calls.take(note);
    const { since: _since, ...worst } = calls.worst ?? { since: '' };
    return { isNews, worst };
  };
  const isTolerant = (): boolean => true;
  const readers: Readonly<Record<string, (given: unknown) => unknown>> = {
    childInputs: (given) => childInputs(given, isTolerant),
    childResult: (given) => childOutcome(given, isTolerant),
    answer: (given) => inputAnswer(given, isTolerant),
    cancelRun: readCancelling,
    resume: (given) => readAnswer('answer', typeof given === 'string' ? { answer: given } : given),
    steer: (given) => readSteer(knownOf(given, steerMembers, isTolerant)),
    // The thread reads one member of it, and ignores an id that it does not know.
    giveBack: (given) => (given as { readonly messageId: string }).messageId,
    retrying: retried,
  };
  const reader = readers[name];
  if (reader === undefined) throw new Error(`nobody reads the signal ${name}`);
  return reader(payload);
}

/** A database as an older version left it. */
async function sqliteFile({ statements, rows }: Sqlite, load: Load): Promise<unknown> {
  const { SqliteStores } = await load<typeof sqlite>('stores/state/sqlite/sqlite-stores');
  return await inFolder(async (folder) => {
    const path = join(folder, 'stores.db');
    const database = new DatabaseSync(path);
    for (const statement of statements) database.exec(statement);
    for (const [table, all] of Object.entries(rows))
      for (const row of all) {
        const names = Object.keys(row);
        const marks = names.map(() => '?').join(', ');
        database
          .prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`)
          .run(...Object.values(row));
      }
    database.close();
    const stores = new SqliteStores({ path });
    const read = {
      app: await stores.app.load({ appName: 'app' }),
      user: await stores.user.load({ appName: 'app', userId: 'ada' }),
      session: await stores.session.load(key),
      version: await stores.session.version?.(key),
      generation: await stores.memory.default.generation(key),
      turns: await stores.memory.default.loadTurns(key),
    };
    await stores.close();
    return read;
  });
}

type Folder = { readonly files: Readonly<Record<string, string>>; readonly digests: string[] };

async function resultFolder({ files, digests }: Folder, load: Load): Promise<unknown> {
  const { FileResults } = await load<typeof fileResults>('stores/results/file-results');
  return await inFolder(async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const results = new FileResults({ folder });
    const [scope] = await results.scopes({ limit: 2 });
    const contents = await Promise.all(
      digests.map((digest) => results.get({ scope: scope?.scope ?? '', digest })),
    );
    return {
      scope: scope?.scope,
      contents: contents.map((bytes) => bytes && Buffer.from(bytes).toString()),
    };
  });
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-sample-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the next attempt at a call finds, with the details of a heartbeat of the one before. */
async function heartbeat(heartbeatDetails: object, load: Load): Promise<unknown> {
  const { refusedHere } = await load<typeof refusals>('activities/definition/refusals');
  const { CachedResponse } = await load<typeof modelCalls>('activities/model/call-model');
  const { drawToken } = await load<typeof toolTokens>('activities/tool/begin-call');
  const { LonghaulError } = await load<typeof errors>('protocol/errors');
  const times = { scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 10_000 };
  const environment = new MockActivityEnvironment({ heartbeatDetails, ...times });
  return await environment.run(async () => {
    const keep = (): void => undefined;
    const polling = () => Promise.resolve(['worker-1', 'worker-2', 'worker-3']);
    const refused = new LonghaulError('AgentNotFound', 'unknown here');
    const { details } = await refusedHere({ identity: 'worker-3', polling }, refused, { keep });
    const beats = { keep, heartbeat: keep, tell: () => Promise.resolve() };
    const { kept } = await drawToken({ inputId: 'q1.0' }, beats);
    const response = await new CachedResponse(keep).once(() => Promise.resolve({} as never));
    return {
      isRefusedByAll: details['isRefusedByAll'] ?? false,
      tokens: kept.slice(0, -1),
      response,
    };
  });
}

type Execution = { readonly workflowId: string; readonly firstExecutionRunId: string };

/** What is computed again from what is stored: a later version must come to the same. */
async function derived(
  value: {
    readonly execution: Execution;
    readonly places: readonly string[];
    readonly token: string;
  },
  load: Load,
): Promise<unknown> {
  const { keyHashes: hashes } = await load<typeof keyHashes>('core/key-hashes');
  const { rootOrigin, originBelow } = await load<typeof origins>('core/origin');
  const { keptOf, proofOf } = await load<typeof tokens>('core/people/result-token');
  const origin = rootOrigin(value.execution as never);
  return {
    keyHashes: hashes({ ...key, tenant: 'north' }),
    origin,
    below: originBelow(origin, ...value.places),
    kept: keptOf(proofOf(value.token)),
  };
}

export const doors: Readonly<Record<string, Door>> = {
  'agent-runs': async (value, load) => {
    const { AgentRun } = await load<typeof agentRuns>('agent-run/agent-run');
    return playAgentRun(AgentRun.fromJSON(value));
  },
  plans: async (value, load) => {
    const { restorePlan } = await load<typeof plans>('core/orchestration/create-plan');
    const { config, plan } = value as { readonly config: never; readonly plan: unknown };
    return playPlan(restorePlan(config, plan));
  },
  'carried-runs': carriedRun,
  'carried-threads': carriedThread,
  signals: signal,
  heartbeats: heartbeat,
  'stored-turns': async (value, load) =>
    (await load<typeof memoryTurns>('stores/state/memory-turn')).decodeTurn(value),
  'stored-states': async (value, load) =>
    (await load<typeof stateTexts>('stores/state/state-text')).decodeState(value),
  sqlite: sqliteFile,
  'result-files': resultFolder,
  'stream-positions': async (value, load) => {
    const { decodePosition } = await load<typeof positions>('client/stream/position');
    const { workflowId, position } = value as { readonly workflowId: string; position: string };
    return Object.fromEntries(decodePosition(workflowId, position));
  },
  deltas: async (value, load) => {
    const { DeltaRows } = await load<typeof deltas>('stores/deltas/postgres/delta-rows');
    return await new DeltaRows({}).read(Buffer.from(value));
  },
  derived,
};
