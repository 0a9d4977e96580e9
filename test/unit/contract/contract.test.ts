// The code against the contract of every release: it may only grow. `npm run contract` writes the contract of this version.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import packageJson from '../../../package.json';
import { type Contract, losses } from './growth';
import { contractOfToday } from './today';

const folder = resolve(__dirname, '../../fixtures/contract');

function contractOf(file: string): Contract {
  return JSON.parse(readFileSync(resolve(folder, file), 'utf8')) as Contract;
}

describe('the contract', () => {
  const now = contractOfToday();

  beforeAll(() => {
    if (process.env['LONGHAUL_WRITE_CONTRACT'] !== 'yes') return;
    const file = resolve(folder, `${packageJson.version}.json`);
    writeFileSync(file, `${JSON.stringify(now, undefined, 1)}\n`);
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
  const empty = { version: '1', names: {}, limits: {}, formats: {}, constants: {}, http: {} };
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

type Mutable = {
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
  const shape = contract.definitions[definition];
  if (typeof shape !== 'object' || !('members' in shape))
    throw new Error(`the contract has no ${definition}`);
  return shape.members;
}
