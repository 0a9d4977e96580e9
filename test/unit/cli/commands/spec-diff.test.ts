// Pure: no server. Specs are files of their own; the client is a double.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSummary } from '../../../../src/client';
import { diff } from '../../../../src/cli/commands/spec-diff';
import { loadSpec } from '../../../../src';
import type { Definition } from '../../../../src/protocol/spec';
import { hashDefinition } from '../../../../src/define/definition';
import { createRegistry } from '../../../../src/define/registry';
import { fakeTerminal, type FakeTerminal } from '../fake-terminal';

const before = `
agents:
  - { id: writer, model: openai/x, instructions: "Be brief.\\nBe kind.", maxIterations: 2 }
  - { id: gone, model: openai/x, tools: [lookup] }
workflows:
  - { id: story, kind: sequential, steps: [writer] }
`;
const after = before
  .replace('Be brief.', 'Be long.')
  .replace(', maxIterations: 2', '')
  .replace('id: gone', 'id: added');

type Pinned = { readonly hash: string; readonly definition?: Definition };

describe('longhaul spec diff', () => {
  let folder: string;
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-diff-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What a run that started with this text pins. */
  const pinned = (text: string, id: string): Pinned => {
    const agents = text.replace('tools: [lookup]', '');
    const definition = createRegistry({ runners: loadSpec({ text: agents }).all }).definition(id);
    return { hash: hashDefinition(definition), definition };
  };
  const aRun = (
    workflowId: string,
    agent: string,
    status: RunSummary['status'] = 'needs-input',
  ) => ({
    ...{ workflowId, runId: 'x', agent, status, pending: [] },
    startTime: new Date(Date.now() - 150_000).toISOString(),
  });
  const runs = [
    aRun('w-old', 'writer'),
    aRun('s-old', 'story', 'running'),
    aRun('s-old.writer', 'writer', 'running'),
    aRun('w-new', 'writer'),
    aRun('w-older', 'writer'),
    aRun('w-lost', 'writer'),
    aRun('w-done', 'writer', 'completed'),
    aRun('other', 'other'),
  ];
  const answers: Readonly<Record<string, () => Pinned>> = {
    'w-old': () => pinned(before, 'writer'),
    's-old': () => pinned(before, 'story'),
    's-old.writer': () => ({ hash: 'x' }),
    'w-new': () => pinned(after, 'writer'),
    'w-older': () => pinned(before.replace('kind', 'rude'), 'writer'),
  };
  const client = {
    withDeadline: (_: number, call: () => unknown) => call(),
    workflow: {
      getHandle: (workflowId: string) => ({
        query: async () => {
          const answer = answers[workflowId];
          if (answer === undefined) throw new Error('no worker answers');
          return answer();
        },
      }),
    },
  };
  const server = {
    client: client as never,
    close: async () => undefined,
    runs: async function* () {
      yield* runs;
    },
  };
  const compare = async (
    [old, fresh]: readonly [string, string],
    flags: Partial<Parameters<typeof diff>[1]> = {},
    open: Parameters<typeof diff>[2]['open'] = async () => server,
  ): Promise<FakeTerminal & { code: number }> => {
    const terminal = fakeTerminal({ width: 100 });
    const paths = [write('old.yaml', old), write('new.yaml', fresh)] as const;
    const code = await diff(paths, { runs: true, ...flags }, { terminal, open });
    return { ...terminal, code };
  };

  it('shows what changes, and the open runs that hold the old definition', async () => {
    const { code, printed, noted } = await compare([before, after]);
    expect(code).toBe(1);
    expect(printed).toEqual([
      'changed   agent writer',
      '  instructions',
      '    - Be brief.',
      '    - Be kind.',
      '    + Be long.',
      '    + Be kind.',
      '  maxIterations',
      '    - 2',
      'removed   agent gone',
      'affected  sequential story, through writer',
      'added     agent added',
      '',
      'open runs with the old definition: 2, with another: 3',
      'RUN      AGENT   DEFINITION  STATUS       AGE',
      'w-old    writer  old         needs-input  2 min',
      's-old    story   old         running      2 min',
      'w-new    writer  new         needs-input  2 min',
      'w-older  writer  other       needs-input  2 min',
      'w-lost   writer  unknown     needs-input  2 min',
    ]);
    expect(noted).toEqual(['note: did not compare the code of lookup: name it with --tools']);
  });

  it('prints all of it as JSON, with the hashes', async () => {
    const { code, printed, noted } = await compare([before, after], { json: true });
    const shown = JSON.parse(printed.join('\n')) as {
      readonly changes: readonly object[];
      readonly runs: readonly object[];
    };
    expect([code, noted]).toEqual([1, []]);
    expect(shown).toMatchObject({ same: false, missing: ['lookup'] });
    expect(shown.changes).toContainEqual({
      runner: 'writer',
      kind: 'agent',
      change: 'changed',
      fields: [
        { path: 'instructions', old: 'Be brief.\nBe kind.', new: 'Be long.\nBe kind.' },
        { path: 'maxIterations', old: 2 },
      ],
      through: [],
      oldHash: pinned(before, 'writer').hash,
      newHash: pinned(after, 'writer').hash,
    });
    expect(shown.runs[0]).toMatchObject({
      workflowId: 'w-old',
      definition: 'old',
      hash: pinned(before, 'writer').hash,
    });
  });

  it('says so when nothing differs, and asks no server', async () => {
    const open = () => Promise.reject(new Error('asked'));
    const { code, printed } = await compare([before, `# the same\n${before}`], {}, open);
    expect([code, printed]).toEqual([0, ['no difference']]);
  });

  it('compares without a server', async () => {
    const open = () => Promise.reject(new Error('no way'));
    const unreachable = await compare([before, after], {}, open);
    expect(unreachable.code).toBe(1);
    expect(unreachable.noted).toContain('note: did not look for open runs: no way');
    const { printed } = await compare([before, after], { runs: false }, open);
    expect(printed.at(-1)).toBe('added     agent added');
  });

  it('sees changes within tasks and inline runners', async () => {
    const text = (prompt: string, model: string): string =>
      `workflows: [{ id: g, kind: graph, tasks: [{ id: t, prompt: "${prompt}", runner: { id: a, model: openai/${model} } }] }]`;
    const { printed } = await compare([text('Old', 'x'), text('New', 'y')], { runs: false });
    expect(printed).toEqual([
      'changed   graph g',
      '  tasks[0].prompt',
      '    - Old',
      '    + New',
      'changed   agent a',
      '  model.model',
      '    - x',
      '    + y',
    ]);
  });

  it('refuses specs with something wrong in them', async () => {
    await expect(compare([before, 'agents: [{ id: a }]'])).rejects.toMatchObject({
      code: 'SpecError',
    });
  });
});
