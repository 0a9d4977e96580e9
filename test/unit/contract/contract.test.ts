// The code against the contract of every release: it may only grow. `npm run contract` writes the contract of this version.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import packageJson from '../../../package.json';
import { type Contract, losses } from './growth';
import type { Shape } from './shapes';
import { contractOfToday, textOf } from './today';

const folder = resolve(__dirname, '../../fixtures/contract');

function contractOf(file: string): Contract {
  return JSON.parse(readFileSync(resolve(folder, file), 'utf8')) as Contract;
}

const now = contractOfToday();

describe('the contract', () => {
  beforeAll(() => {
    if (process.env['LONGHAUL_WRITE_CONTRACT'] !== 'yes') return;
    const file = resolve(folder, `${packageJson.version}.json`);
    writeFileSync(file, textOf(now));
  });

  it('of every release is kept', () => {
    const releases = readdirSync(folder);
    expect(releases).toContain(`${packageJson.version}.json`);
    for (const file of releases) expect([file, losses(contractOf(file), now)]).toEqual([file, []]);
  });

  it('of this version has all that the code has', () => {
    expect(losses(now, contractOf(`${packageJson.version}.json`))).toEqual([]);
  });

  it('may grow: an optional member, an alternative, a name, a higher limit', () => {
    const grown = copyOf(now);
    membersOf(grown, 'RunInput')['extra?'] = 'string';
    membersOf(grown, 'RunState')['status'] = { anyOf: ['string', 'null'] };
    grown.names['signals']?.push('another');
    membersOf(grown, 'ConnectOptions')['extra?'] = 'string';
    membersOf(grown, 'RunHandle')['extra'] = 'string';
    signatureOf(grown, 'Longhaul', 'start').takes.push('string');
    grown.needs['pg'] = { from: 0, below: 1e12, optional: true };
    grown.limits['input'] = (grown.limits['input'] ?? 0) + 1;
    expect(losses(now, grown)).toEqual([]);
  });

  it.each<[string, (copy: Mutable) => unknown, RegExp]>([
    ['a removed field', (copy) => delete membersOf(copy, 'PendingInput')['since'], /no since/],
    [
      'a renamed signal',
      (copy) =>
        (copy.names['signals'] = (copy.names['signals'] ?? []).map((name) =>
          name === 'cancelRun' ? 'cancel' : name,
        )),
      /signals: no cancelRun/,
    ],
    [
      'a changed default',
      (copy) => ((copy.constants['defaults'] as { taskQueue: string }).taskQueue = 'other'),
      /constants.defaults.taskQueue: was "longhaul", is "other"/,
    ],
    [
      'a changed timeout',
      (copy) => ((copy.constants['timeouts'] as { store: number }).store += 1),
      /constants.timeouts.store/,
    ],
    [
      'a new field that must be there',
      (copy) => (membersOf(copy, 'RunInput')['extra'] = 'string'),
      /extra is new and required/,
    ],
    [
      'a field that may be missing now',
      (copy) => {
        const members = membersOf(copy, 'RetryNote');
        members['attempt?'] = members['attempt'] ?? 'number';
        delete members['attempt'];
      },
      /no attempt$/,
    ],
    [
      'a field of another type',
      (copy) => (membersOf(copy, 'RetryNote')['attempt'] = 'string'),
      /attempt: was "number", is "string"/,
    ],
    [
      'a lost alternative',
      (copy) => (membersOf(copy, 'ChildView')['status'] = { anyOf: [{ const: 'open' }] }),
      /status/,
    ],
    [
      'an option that must be given',
      (copy) => (membersOf(copy, 'StartOptions')['extra'] = 'string'),
      /Longhaul.*\.start\(\)\[2\]: extra is new and required/,
    ],
    [
      'a parameter that must be given',
      (copy) => (signatureOf(copy, 'Longhaul', 'start').needs = 3),
      /Longhaul.*\.start\(\): needs 3, needed 2/,
    ],
    [
      'a parameter that takes less',
      (copy) => (signatureOf(copy, 'Longhaul', 'start').takes[0] = 'string'),
      /Longhaul.*\.start\(\)\[0\]: was/,
    ],
    [
      'a result that lacks a method',
      (copy) => delete membersOf(copy, 'RunHandle')['why'],
      /\.start\(\)<>\[0\]: no why/,
    ],
    [
      'a method that a store of users must have',
      (copy) => (membersOf(copy, 'ResultStore')['extra'] = { calls: [] }),
      /extra is new and required/,
    ],
    [
      'a result that may be missing',
      (copy) => {
        const call = signatureOf(copy, 'RunHandle', 'usage');
        call.gives = { anyOf: [call.gives, 'undefined'] };
      },
      /usage\(\): may be undefined now/,
    ],
    [
      'a removed export',
      (copy) => delete membersIn(copy.exports['./worker'])['createWorker'],
      /\.\/worker: no createWorker/,
    ],
    [
      'another version of a peer',
      (copy) => (copy.needs['pg'] = { from: 9_000_000, below: 10_000_000, optional: true }),
      /needs: pg/,
    ],
    [
      'another id',
      (copy) => ((copy.constants['ids'] as { thread: string }).thread = 'thread:1'),
      /constants.ids.thread/,
    ],
    [
      'another field of a spec',
      (copy) => delete (copy.specs as Schema).$defs?.['agent']?.properties?.['maxTurns'],
      /specs.\$defs.agent.properties.maxTurns/,
    ],
    ['a lower limit', (copy) => (copy.limits['input'] = 1), /limits.input: was/],
    [
      'a lower format',
      (copy) => (copy.formats['src/workflows/run/carried-run.ts'] = 0),
      /formats.src\/workflows\/run\/carried-run.ts/,
    ],
    ['a removed route', (copy) => delete copy.http['GET /runs'], /http.GET \/runs/],
    [
      'a lost error code',
      (copy) => copy.names['errorCodes']?.splice(0, 1),
      /errorCodes: no MaxIterationsExceeded/,
    ],
  ])('does not allow %s', (_what, change, lost) => {
    const changed = copyOf(now);
    change(changed);
    expect(losses(now, changed).join('\n')).toMatch(lost);
  });
});

describe('losses', () => {
  const data = {
    names: {},
    limits: {},
    formats: {},
    needs: {},
    constants: {},
    http: {},
    specs: {},
  };
  const empty = { version: '1', ...data, wire: 'null', exports: {}, definitions: {} };
  const x = { x: 'string' };

  it('are found in types that contain each other, although one of them fits elsewhere', () => {
    const a = { members: { c: { ref: 'C' }, ...x } };
    const c = { members: { a: { ref: 'A' } } };
    const before = { members: { p: { ref: 'A' }, q: { ref: 'C' } } };
    const now = { members: { p: { anyOf: [{ ref: 'A' }, { ref: 'B' }] }, q: { ref: 'C' } } };
    const definitions = {
      A: { members: { c: { ref: 'C' } } },
      B: { members: { c: { ref: 'D' }, ...x } },
      C: c,
      D: { members: { a: { ref: 'B' } } },
    };
    expect(
      losses(
        { ...empty, wire: before, definitions: { A: a, C: c } },
        { ...empty, wire: now, definitions },
      ),
    ).toEqual(['wire.q.a: no x']);
  });

  it('count a new required member of an open record, too', () => {
    const before = { ...empty, wire: { members: {}, rest: 'string' }, definitions: {} };
    const now = { ...empty, wire: { members: x, rest: 'string' }, definitions: {} };
    expect(losses(before, now)).toEqual(['wire: x is new and required']);
  });
});

describe('the contract of changed code', () => {
  const edits: readonly (readonly [file: string, from: string, to: string, lost: string])[] = [
    [
      'workflows/run/machine-options.ts',
      '2 * maxIterations + 5',
      '2 * maxIterations + 6',
      'defaultsInCode.agentFields.maxTurns: was ["25"]',
    ],
    [
      'worker/create-worker.ts',
      'taskQueue ?? defaults.taskQueue',
      "taskQueue ?? 'other'",
      'defaultsInCode.CreateWorkerOptions.taskQueue: was ["\\"longhaul\\""]',
    ],
    [
      'http/options.ts',
      'bodyTimeoutMs = 30_000',
      'bodyTimeoutMs = 60_000',
      'defaultsInCode.AgentHandlerOptions.bodyTimeoutMs: was ["30000"]',
    ],
    [
      'client/handles/run-handle.ts',
      'options: { readonly by?: Actor } = {},',
      'options: { readonly by?: Actor },',
      'cancel(): needs 2, needed 0',
    ],
    [
      'workflows/activity-proxies.ts',
      'startToCloseTimeout: timeouts.notice,',
      'startToCloseTimeout: timeouts.notice * 2,',
      'optionsOfActivities: no {"startToCloseTimeout":30000,"scheduleToCloseTimeout":86400000',
    ],
    [
      'protocol/thread.ts',
      'readonly messageId: string;',
      'readonly messageId?: string;',
      'no messageId',
    ],
  ];

  it('lacks each change that is no growth', () => {
    const changed = contractOfToday((file, text) =>
      edits
        .filter(([end]) => file.endsWith(`/src/${end}`))
        .reduce((whole, [, from, to]) => whole.replace(from, to), text),
    );
    const found = losses(now, changed).join('\n');
    for (const [, , , lost] of edits) expect(found).toContain(lost);
  });
});

type Schema = {
  readonly $defs?: { readonly [name: string]: Schema };
  readonly properties?: { [name: string]: Schema };
};

type MutableSignature = { takes: Shape[]; needs: number; gives: Shape };

type Mutable = {
  needs: { [name: string]: { from: number; below: number; optional: boolean } };
  names: { [list: string]: string[] };
  limits: { [name: string]: number };
  formats: { [file: string]: number };
  constants: { [name: string]: unknown };
  http: { [operation: string]: unknown };
} & Contract;

function copyOf(contract: Contract): Mutable {
  return JSON.parse(JSON.stringify(contract)) as Mutable;
}

function membersOf(contract: Contract, definition: string): { [name: string]: unknown } {
  return membersIn(contract.definitions[definition]);
}

function membersIn(shape: Shape | undefined): { [name: string]: unknown } {
  if (typeof shape !== 'object' || !('members' in shape)) throw new Error('it has no members');
  return shape.members;
}

function signatureOf(contract: Contract, definition: string, method: string): MutableSignature {
  const { calls } = membersOf(contract, definition)[method] as { calls: MutableSignature[] };
  const [first] = calls;
  if (first === undefined) throw new Error(`${definition} has no ${method}`);
  return first;
}
