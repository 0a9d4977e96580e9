// Pure: no server.
import { loadSpec } from '../../../../src';
import { refusalOf, refusals, twoAgents } from './bad-specs';
import { aFolder, removeFolders } from './spec-folder';
import { join } from 'node:path';

const text =
  'agents:\n  - id: desk\n    model: openai/x\n    instructions: |\n      Grüße\n      an alle\n';
const spec = {
  kind: 'agent',
  id: 'desk',
  model: { provider: 'openai', model: 'x' },
  instructions: 'Grüße\nan alle\n',
};

const utf16le = Buffer.from(`\uFEFF${text}`, 'utf16le');
const utf16be = Buffer.from(utf16le).swap16();

afterAll(removeFolders);

function loadBytes(bytes: Uint8Array, name = 'a.yaml') {
  return loadSpec(aFolder({ [name]: bytes })).get('desk')?.spec;
}

function refusalOfBytes(bytes: Uint8Array): string | undefined {
  return refusalOf(aFolder({ 'a.yaml': bytes }))[0]?.message;
}

describe('a file of specs', () => {
  it.each<[string, Uint8Array]>([
    ['in UTF-8', Buffer.from(text)],
    ['with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['with the line ends of Windows', Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['in UTF-16, little-endian', utf16le],
    ['in UTF-16, big-endian', utf16be],
    ['that says where it ends', Buffer.from(`%YAML 1.2\n---\n${text}...\n`)],
    ['with documents that are empty', Buffer.from(`---\n---\n${text}---\n# nothing\n`)],
  ])('may be %s', (_, bytes) => {
    expect(loadBytes(bytes)).toEqual(spec);
  });

  it('tells places behind a byte order mark and with the line ends of Windows', () => {
    const bytes = Buffer.from('\uFEFFagents:\r\n  - id: desk\r\n    modle: openai/x\r\n');
    expect(refusalOf(aFolder({ 'a.yaml': bytes }))).toMatchObject([
      { line: 3, column: 5, path: 'agents[0].modle' },
    ]);
  });

  it.each<[string, Uint8Array, string]>([
    [
      'UTF-16 without byte order mark',
      utf16le.subarray(2),
      'is not text in UTF-8: save it as UTF-8',
    ],
    ['Latin-1', Buffer.from(text, 'latin1'), 'is not text in UTF-8: save it as UTF-8'],
    [
      'UTF-16 that says it is UTF-8',
      Buffer.from('a\0g\0'),
      'holds NUL characters: it is no text, or not in UTF-8',
    ],
    [
      '10 MB',
      Buffer.alloc(10_000_000, '# x\n'),
      'has 9766 KiB; a file may have 1024 KiB: split it',
    ],
  ])('is refused when it is %s', (_, bytes, message) => {
    expect(refusalOfBytes(bytes)).toBe(message);
  });

  it('is refused when it is text of 10 MB', () => {
    expect(refusals('x'.repeat(10_000_000))).toEqual([
      '1:1 has 9766 KiB; a file may have 1024 KiB: split it',
    ]);
  });
});

describe('JSON', () => {
  const json = { agents: [{ id: 'desk', model: 'openai/x', instructions: spec.instructions }] };

  it.each([
    ['with spaces', JSON.stringify(json, null, 2)],
    ['with tabs', JSON.stringify(json, null, '\t')],
    ['in one line', JSON.stringify(json)],
  ])('may be %s', (_, written) => {
    expect(loadBytes(Buffer.from(written), 'a.json')).toEqual(spec);
  });

  it.each([
    [
      'a comma too many',
      '{\n  "agents": [],\n}',
      '3:1 is not valid JSON: Expected double-quoted property name',
    ],
    [
      'a key without quotes',
      '{ agents: [] }',
      "1:3 is not valid JSON: Expected property name or '}'",
    ],
    [
      'a comment',
      '// none\n{}',
      '1:1 is not valid JSON: Unexpected token \'/\', "// none\n{}" is not valid JSON',
    ],
    [
      'a key twice',
      '{"agents": [{"id": "a",\n"id": "b", "model": "openai/x"}]}',
      '2:1 agents[0].id stands here a second time: first at line 1, column 14',
    ],
    [
      'a wrong value',
      '{"agents": [{"id": "a",\n "model": 5}]}',
      "2:11 agents[0].model must be 'provider/model', such as 'openai/gpt-6.1-terra', {provider, model}, or a model beside 'provider' or with POTATO_HEAD_DEFAULT_PROVIDER set, not 5",
    ],
  ])('is refused with %s', (_, written, expected) => {
    expect(refusals(written, 'spec.json')).toEqual([expected]);
  });
});

describe('aliases', () => {
  it('stand for what they name, with its place', () => {
    const shared = `agents:\n  - { id: a, model: &model openai/x, settings: &s { temperatur: 0 } }\n  - { id: b, model: *model, settings: *s }\n`;
    expect(refusals(shared)).toEqual([
      "2:53 agents[0].settings.temperatur is not known; did you mean 'temperature'?",
      "2:53 agents[1].settings.temperatur is not known; did you mean 'temperature'?",
    ]);
    const right = shared.replaceAll('temperatur:', 'temperature:');
    expect(loadSpec({ text: right }).get('b')?.spec).toMatchObject({
      model: { provider: 'openai', model: 'x' },
      settings: { temperature: 0 },
    });
  });

  it.each([
    ['laughs', (n: number) => `[${`*a${n}, `.repeat(9)}*a${n}]`],
    [
      'maps',
      (n: number) => `{${Array.from({ length: 9 }, (_, key) => `k${key}: *a${n}`).join(', ')}}`,
    ],
  ])('are not written out by the billion: %s', (_, level) => {
    const lines = Array.from({ length: 30 }, (__, n) => `  - &a${n + 1} ${level(n)}`);
    const bomb = `x:\n  - &a0 lol\n${lines.join('\n')}\n`;
    expect(refusals(bomb).join('\n')).toMatch(
      /^\d+:\d+ has more than 100,000 values with its aliases written out$/m,
    );
  });

  it('nest no deeper than values may', () => {
    const lines = Array.from({ length: 200 }, (_, n) => `  - &a${n + 1} [*a${n}]`);
    expect(refusals(`x:\n  - &a0 lol\n${lines.join('\n')}\n`).join('\n')).toMatch(
      /is nested more than 100 levels deep$/m,
    );
  });
});

describe('values', () => {
  it.each([
    ['lists', '['.repeat(5000)],
    ['closed lists', `x: ${'['.repeat(400)}${']'.repeat(400)}`],
    ['maps', '{a: '.repeat(2000)],
    ['lines', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('are refused when they are nested too deeply: %s', (_, nested) => {
    expect(refusals(nested).join('\n')).toMatch(
      /is nested (?:too deeply|more than 100 levels deep)/,
    );
  });

  it('are read in time that grows with the file', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `k${index}: 1`).join('\n');
    // Unknown keys beyond these are not listed.
    expect(refusals(many)).toHaveLength(50);
  });
});

describe('runners', () => {
  it('stand for no more runs than can be listed', () => {
    const levels = Array.from(
      { length: 16 },
      (_, n) =>
        `  - { id: w${n}, kind: sequential, steps: [${n === 0 ? 'a, b' : `w${n - 1}, w${n - 1}`}] }\n`,
    );
    expect(refusals(twoAgents(`workflows:\n${levels.join('')}`))).toEqual([
      '17:5 workflows[12] stands for more than 10,000 runs, with those that the runners in it name',
    ]);
  });

  it('nest no deeper than runs may', () => {
    const levels = Array.from(
      { length: 22 },
      (_, n) => `  - { id: w${n}, kind: sequential, steps: [${n === 0 ? 'a' : `w${n - 1}`}] }\n`,
    );
    expect(refusals(twoAgents(`workflows:\n${levels.join('')}`))).toEqual([
      '25:5 workflows[20] nests runners more than 20 levels deep: make fewer levels',
    ]);
  });

  it('are all refused with one that is wrong, in whatever file', () => {
    const folder = aFolder({ 'a.yaml': text, 'b.yaml': 'agents: [{ id: b }]' });
    expect(refusalOf(folder)).toEqual([
      {
        file: join(folder, 'b.yaml'),
        line: 1,
        column: 10,
        path: 'agents[0].model',
        message:
          "is required: 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}",
      },
    ]);
  });
});
