// Forms that no history holds: runs that a program keeps, plans, rows of stores, and what is derived from names.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type * as agentRuns from '../../../src/agent-run/agent-run.ts';
import type * as plans from '../../../src/core/orchestration/create-plan.ts';
import type { Plan } from '../../../src/core/orchestration/plan.ts';
import type * as positions from '../../../src/client/stream/position.ts';
import type * as deltas from '../../../src/stores/deltas/postgres/delta-rows.ts';
import type { OrchestrationConfig } from '../../../src/protocol/activities.ts';
import type * as fileResults from '../../../src/stores/results/file-results.ts';
import type * as memoryTurns from '../../../src/stores/state/memory-turn.ts';
import type * as sqlite from '../../../src/stores/state/sqlite/sqlite-stores.ts';
import type * as stateTexts from '../../../src/stores/state/state-text.ts';
import type { Load, Sqlite } from './doors.mts';

type Named = readonly (readonly [name: string, value: unknown])[];

export async function made(load: Load): Promise<Readonly<Record<string, Named>>> {
  const { encodeTurn } = await load<typeof memoryTurns>('stores/state/memory-turn');
  const { encodeState } = await load<typeof stateTexts>('stores/state/state-text');
  return {
    'agent-runs': await agentRunsOf(load),
    plans: await plansOf(load),
    heartbeats: [
      ['refusals', { refusedBy: ['worker-1', 'worker-2'] }],
      ['tokens', { tokens: ['0123456789abcdef0123456789abcdef'], details: { page: 3 } }],
      ['a response', { response: { content: [text('An oak.')], usage, finishReason: 'stop' } }],
    ],
    'stored-turns': turns.map((turn) => [turn.id, encodeTurn(turn)]),
    'stored-states': [['a session', encodeState({ notes: ['oak', 7, null, { deep: true }] })]],
    sqlite: [['a database', await sqliteOf(load)]],
    'result-files': [['a folder', await resultFolderOf(load)]],
    'stream-positions': await positionsOf(load),
    deltas: await deltasOf(load),
    derived: [
      [
        'names',
        {
          execution: {
            workflowId: 'run-1',
            runId: 'execution-2',
            firstExecutionRunId: 'execution-1',
          },
          places: ['research.1.0', 'oak'],
          token: 'lh1.cnVuLTE.cTEuMA.c2VjcmV0',
        },
      ],
    ],
  };
}

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 15,
  cacheReadTokens: 2,
  cacheWriteTokens: null,
  reasoningTokens: null,
};
const call = (callId: string, name: string, args: object | null = { x: 1 }) =>
  ({
    type: 'tool_call',
    callId,
    name,
    args,
    ...(args === null && { rawArgs: '{"x":', argsError: 'not JSON' }),
  }) as never;
const text = (said: string) => ({ type: 'text', text: said }) as const;

type Run = agentRuns.AgentRun;

/** A run in each of its states. */
async function agentRunsOf(load: Load): Promise<Named> {
  const { AgentRun } = await load<typeof agentRuns>('agent-run/agent-run');
  const tools = ['add', 'ask_user'];
  const respond = (run: Run, ...content: readonly object[]): void => {
    run.nextStep();
    run.modelResponse({ content: content as never, usage, tools });
  };
  const result = (callId: string) =>
    ({ type: 'tool_result', callId, name: 'add', isError: false, content: [text('2')] }) as const;
  const states: Readonly<Record<string, () => Run>> = {
    preparing: () =>
      new AgentRun('go', { history: [{ role: 'user', parts: [text('before')] }], maxTurns: 3 }),
    'awaiting-model': () => withStep(new AgentRun('go')),
    'resolving-tool-calls': () => {
      const run = new AgentRun('go');
      respond(run, call('c0', 'add'), call('c1', 'nope'));
      return run;
    },
    'awaiting-advance': () => {
      const run = new AgentRun('go', { criteria: [{ kind: 'keyword', keyword: 'sum' }] });
      respond(run, text('A sum.'));
      return run;
    },
    'executing-tools': () => {
      const run = new AgentRun('go');
      respond(
        run,
        { type: 'reasoning', text: 'Hm.' },
        call('c1', 'add'),
        call('c2', 'add', null),
        call('c3', 'add'),
      );
      run.nextStep();
      run.toolResults([result('c3')]);
      return run;
    },
    'executing-tools with an approval and a question': () => {
      const run = new AgentRun('go', { askUser: 'tool', approvals: ['add'] });
      respond(run, call('c1', 'add'), call('c2', 'ask_user', { question: 'Which?' }));
      return withStep(run);
    },
    'awaiting-input': () => {
      const run = new AgentRun('go', { askUser: 'marker' });
      respond(run, text('__ask_user__: Which tree?'));
      return withStep(run);
    },
    done: () => {
      const run = new AgentRun('go');
      respond(run, text('Done.'));
      return withStep(run);
    },
    'done with structured output': () => {
      const run = new AgentRun('go', { output: { tool: 'final_answer', retries: 1 } });
      run.nextStep();
      run.modelResponse({
        content: [call('c1', 'final_answer', { sum: 3 })],
        usage,
        tools: ['final_answer'],
      });
      return withStep(run);
    },
    failed: () => {
      const run = new AgentRun('go', { maxTurns: 1 });
      respond(run, call('c1', 'add'));
      run.nextStep();
      run.toolResults([result('c1')]);
      try {
        run.nextStep();
      } catch {
        // The run has failed.
      }
      return run;
    },
  };
  return Object.entries(states).map(([name, make]) => {
    const state = make().toJSON();
    if (state.state.kind !== name.split(' ')[0])
      throw new Error(`the run '${name}' is in the state ${state.state.kind}`);
    return [name, state] as const;
  });
}

function withStep(run: Run): Run {
  run.nextStep();
  return run;
}

const configs: readonly OrchestrationConfig[] = [
  {
    kind: 'sequential',
    id: 'pipeline',
    steps: [{ runner: 'a' }, { runner: 'b', kind: 'graph' }, { runner: 'c' }],
    passOutput: true,
  },
  { kind: 'parallel', id: 'all', branches: [{ runner: 'a' }, { runner: 'b' }, { runner: 'a' }] },
  {
    kind: 'parallel',
    id: 'race',
    branches: [{ runner: 'a' }, { runner: 'b' }],
    merge: 'first',
    cancelRest: true,
  },
  {
    kind: 'graph',
    id: 'review',
    params: ['name'],
    tasks: [
      { id: 'oaks', runner: 'a', maxRetries: 1 },
      { id: 'elms', runner: 'b' },
      { id: 'both', runner: 'c', dependencies: ['oaks', 'elms'], prompt: '${oaks.output} ${name}' },
    ],
  },
];

/** Each plan at its start, and after one of its children. */
async function plansOf(load: Load): Promise<Named> {
  const { createPlan } = await load<typeof plans>('core/orchestration/create-plan');
  const start = { input: 'go', session: { name: 'Ada' } };
  return configs.flatMap((config) => {
    const plan = createPlan(config, start);
    const atStart = { config, plan: plan.toJSON() };
    after(plan);
    const name = `${config.kind} ${config.id}`;
    return [
      [`${name} at its start`, atStart],
      [`${name} after a child`, { config, plan: plan.toJSON() }],
    ] as const;
  });
}

/** The first child fails where it may be tried again, and else completes. */
function after(plan: Plan): void {
  const [child] = plan.ready;
  if (child === undefined) throw new Error('nothing is ready');
  plan.take(child.key);
  if (child.element === 'oaks')
    return plan.failed(child.key, { code: 'ProviderError', message: 'down' });
  plan.completed(child.key, {
    finalResponse: { text: 'An oak.', content: [text('An oak.')], structured: { name: 'oak' } },
    iterations: 2,
    completionReason: 'text response',
    warnings: ['a warning'],
    delta: { set: { tree: 'oak' }, removed: ['name'] },
    spend: { usage, costUsd: 0.5, unpriced: ['a/b'] },
  });
}

const key = { appName: 'app', userId: 'ada', sessionId: 'one' };
const turns = [
  {
    ...key,
    id: '01a21267-f4bb-785a-b8db-5714d40b4678',
    invocationId: 'run-1',
    user: 'What is an oak?',
    assistant: 'A tree.',
    createdAt: '2026-11-25T10:00:00.000Z',
    eventData: { messageId: 'm1', usage, iterations: 1, session: { tree: 'oak' } },
  },
  {
    ...key,
    id: '01a21267-f4bb-785a-b8db-5714d40b4679',
    invocationId: 'run-2',
    user: [
      text('And this?'),
      {
        type: 'media',
        mediaType: 'image/png',
        source: { kind: 'url', url: 'https://example.com/oak.png' },
      },
    ],
    assistant: 'An oak, too.',
    createdAt: '2026-11-25T10:01:00.000Z',
  },
];

async function sqliteOf(load: Load): Promise<Sqlite> {
  const { SqliteStores } = await load<typeof sqlite>('stores/state/sqlite/sqlite-stores');
  return await inFolder(async (folder) => {
    const path = join(folder, 'stores.db');
    const stores = new SqliteStores({ path });
    await stores.app.save({ appName: 'app' }, { greeting: 'hello' });
    await stores.user.save({ appName: 'app', userId: 'ada' }, { language: 'en' });
    await stores.session.save(key, { notes: [1, 2] }, { after: '', version: 'run-1' });
    for (const turn of turns)
      await stores.memory.default.saveTurn(turn as never, { generation: '' });
    await stores.close();
    const database = new DatabaseSync(path);
    const listed =
      "select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'";
    const schema = database.prepare(listed).all() as { name: string; sql: string }[];
    const tables = schema.filter(({ sql }) => /^create table/i.test(sql));
    const rows = tables.map(({ name }) => [name, database.prepare(`select * from ${name}`).all()]);
    const [version] = database.prepare('pragma user_version').all() as { user_version: number }[];
    database.close();
    return {
      statements: [
        ...schema.map(({ sql }) => sql),
        `pragma user_version = ${version?.user_version ?? 0}`,
      ],
      rows: Object.fromEntries(rows) as Sqlite['rows'],
    };
  });
}

async function resultFolderOf(load: Load): Promise<unknown> {
  const { FileResults } = await load<typeof fileResults>('stores/results/file-results');
  return await inFolder(async (folder) => {
    const results = new FileResults({ folder });
    const texts = ['All trees have leaves.', 'An oak.'];
    const digests = texts.map((each) => createHash('sha256').update(each).digest('hex'));
    for (const [index, digest] of digests.entries())
      await results.put({ scope: 'default/run-1', digest }, Buffer.from(texts[index] ?? ''));
    const paths = readdirSync(folder, { recursive: true }).map(String).sort();
    const files = paths.filter((path) => statSync(join(folder, path)).isFile());
    return {
      files: Object.fromEntries(
        files.map((path) => [relative('.', path), readFileSync(join(folder, path), 'utf8')]),
      ),
      digests,
    };
  });
}

async function positionsOf(load: Load): Promise<Named> {
  const { encodePosition, tagOf } = await load<typeof positions>('client/stream/position');
  const places = new Map([
    ['run-1', { index: 3, tag: tagOf('01a21267-bf7a/3') }],
    ['run-1.research.1.0~33dbb0b2', { index: 7, tag: 'oQk8GpRX' }],
  ]);
  return [['a tree', { workflowId: 'run-1', position: encodePosition('run-1', places) }]];
}

async function deltasOf(load: Load): Promise<Named> {
  const { DeltaRows } = await load<typeof deltas>('stores/deltas/postgres/delta-rows');
  const place = { root: 'run-1', workflowId: 'run-1', path: 'agent', agent: 'agent' };
  const attempt = { turn: 1, calledAt: 1795605118842, attempt: 1 };
  const bytes = await new DeltaRows({}).write([
    { ...place, ...attempt, kind: 'begin' },
    { ...place, ...attempt, kind: 'delta', seq: 0, delta: { kind: 'text', text: 'An' }, count: 2 },
    { ...place, kind: 'moved', ended: attempt },
  ]);
  return [['a row', Buffer.from(bytes).toString()]];
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-sample-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
