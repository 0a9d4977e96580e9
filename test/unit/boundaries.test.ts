// Pure: no server. ESLint runs in a process of its own, for Jest cannot load its configuration.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

/** Lints every snippet as if it were the file, by the rules that restrict and without types. Prints one list of broken rules per snippet. */
const script = `
  import { ESLint } from 'eslint';
  import tseslint from 'typescript-eslint';
  const overrideConfig = [tseslint.configs.disableTypeChecked];
  const ruleFilter = ({ ruleId }) => ruleId.startsWith('no-restricted-');
  const eslint = new ESLint({ overrideConfig, ruleFilter });
  const broken = [];
  for (const [filePath, code] of JSON.parse(process.argv[1])) {
    const [result] = await eslint.lintText(code, { filePath });
    broken.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
  }
  console.log(JSON.stringify(broken));
`;

function brokenRules(snippets: readonly (readonly [file: string, code: string])[]): string[][] {
  const input = snippets.map(([file, code]) => [join(root, 'src', file), code]);
  const args = ['--input-type=module', '--eval', script, JSON.stringify(input)];
  return JSON.parse(execFileSync('node', args, { cwd: root, encoding: 'utf8' })) as string[][];
}

type Case = { file: string; imports: string; refused: boolean };

const refused = (file: string, ...sources: string[]): Case[] =>
  sources.map((imports) => ({ file, imports, refused: true }));
const allowed = (file: string, ...sources: string[]): Case[] =>
  sources.map((imports) => ({ file, imports, refused: false }));

const cases: Case[] = [
  ...refused('protocol/a.ts', 'zod', 'node:fs', '@temporalio/common', '../core/b', '../define/b'),
  ...refused('base/a.ts', 'zod', 'node:fs', '@temporalio/common', '../protocol/b', '../core/b'),
  ...allowed('base/a.ts', './json'),
  ...allowed('protocol/a.ts', './run', '../base/json'),
  ...refused('core/a.ts', '@temporalio/workflow', 'node:crypto', 'zod', 'yaml', '..', 'longhaul'),
  ...refused(
    'core/a.ts',
    '../workflows/b',
    '../activities/b',
    '../define/b',
    '../client',
    '../new/b',
  ),
  ...refused('core/nested/a.ts', '../../workflows/b', '../../index'),
  ...allowed('core/a.ts', './spec', './nested/b', '../protocol/run', '../base/json'),
  ...allowed('core/nested/a.ts', '../workflows', '../../protocol/run', '../../base/json'),
  ...refused('core/a.ts', '../agent-run/b'),
  ...refused('workflows/a.ts', '../agent-run/b'),
  ...refused('agent-run/a.ts', '../workflows/b', '../define/b', 'node:fs', '@temporalio/common'),
  ...allowed('agent-run/a.ts', '../core/b', '../protocol/b', '../base/json', './b'),
  ...refused('agent-run.ts', './define/b', './workflows/b', 'ajv'),
  ...refused('otel/a.ts', '../worker/b', '../activities/b', '../client/b', 'openai'),
  ...allowed('otel/a.ts', '../telemetry/telemetry', '../define/b', '@opentelemetry/api', 'zod'),
  ...refused('otel.ts', './worker', '@opentelemetry/api'),
  ...allowed('agent-run.ts', './agent-run/b', './core/b', './protocol/b'),
  ...refused('workflows/a.ts', '../activities/b', 'node:fs', '@temporalio/client', 'ajv'),
  ...refused('workflows/a.ts', '../define/b', '../providers/provider', '@temporalio/activity'),
  ...allowed('workflows/a.ts', '../core/b', '../protocol/b', '@temporalio/workflow', 'fflate'),
  ...refused('providers/provider.ts', 'openai', '@temporalio/common', '../activities/b'),
  ...refused('providers/openai/a.ts', '../google/b', '@google/genai', '../../activities/b'),
  ...refused('providers/google/a.ts', 'openai', '@temporalio/common', '../../core/b'),
  ...allowed('providers/openai/a.ts', 'openai', '../provider', '../../protocol/b', './b'),
  ...allowed('providers/anthropic/a.ts', '@anthropic-ai/sdk/resources'),
  ...refused('stores/a.ts', '@temporalio/client', '../providers/provider', '../workflows/b'),
  ...allowed('stores/a.ts', 'node:sqlite', 'pg', '../protocol/b'),
  ...refused('results/a.ts', '@temporalio/client', 'openai', '../core/b', '../activities/b'),
  ...refused('results/a.ts', '../worker/b', '../client/b'),
  ...allowed('results/a.ts', 'node:fs', '@aws-sdk/client-s3', '../stores/b', '../protocol/b'),
  ...refused('results.ts', './stores/b', './client/b', './core/b', '@aws-sdk/client-s3', 'pg'),
  ...allowed('results.ts', './results/b', './protocol/b', './base/json'),
  ...allowed('activities/a.ts', '../results/b'),
  ...allowed('client/a.ts', '../results/b'),
  ...allowed('worker/a.ts', '../results/b'),
  ...refused('cli/a.ts', '../results/b'),
  ...refused('workflows/a.ts', '../results/b'),
  ...refused('stores/a.ts', '../results/b'),
  ...refused('define/a.ts', '@temporalio/common', '../providers/provider', '../workflows/b'),
  ...refused('core/a.ts', '../define/b'),
  ...allowed('define/a.ts', '../core/b', '../protocol/b', 'node:fs', 'zod'),
  ...allowed('define/nested/a.ts', '../b', '../../base/json', '../../protocol/b', 'ajv'),
  ...refused('server/a.ts', '../cli/main', '../worker', '../testing/b'),
  ...refused('activities/a.ts', '../workflows/b', '../client', '../providers/openai/b', 'openai'),
  ...allowed('activities/a.ts', '../agent-run/b'),
  ...allowed('activities/a.ts', '../core/b', '../define/b', '../stores/b', '../providers/provider'),
  ...allowed('activities/a.ts', '../define/b'),
  ...allowed('cli/a.ts', '../define/b'),
  ...allowed('client/a.ts', '../define/b'),
  ...allowed('worker/a.ts', '../define/b'),
  ...allowed('activities/a.ts', '@temporalio/activity', '@temporalio/common'),
  ...refused('client.ts', './activities/b', './worker', './workflows/agent', '@temporalio/worker'),
  ...allowed('client.ts', './protocol/b', './client/b', '@temporalio/client'),
  ...refused('client/a.ts', '../activities/b', '../worker', '../worker/b', '@temporalio/worker'),
  ...allowed('client/a.ts', '../protocol/b', '../server/b', './b', '@temporalio/client'),
  ...refused('worker.ts', './cli/main', './workflows/agent', './testing/index'),
  ...allowed('worker.ts', './worker/b', './activities/b', './providers/openai/b', './stores/b'),
  ...refused(
    'worker/a.ts',
    '../client/b',
    '../cli/main',
    '../workflows/agent',
    '../testing/index',
    'openai',
  ),
  ...allowed('worker/a.ts', '../activities/b', '../define/b', '@temporalio/worker', './b'),
  ...refused('cli/a.ts', '../core/b', '../providers/provider', '../activities/b', '../workflows/b'),
  ...allowed('cli/a.ts', '../client', '../worker', '../define/b', '../protocol/b', 'commander'),
  ...allowed('cli/nested/a.ts', '../../worker', '../core'),
  ...refused('testing/a.ts', '../cli/main', '../providers/openai/b', '../workflows/b'),
  ...allowed('testing/a.ts', '../activities/b', '../providers/provider', '../worker', '../client'),
  ...refused('index.ts', './worker', './client', '@temporalio/common', './activities/b'),
  ...allowed('index.ts', './define/b', './core/b', './protocol/b'),
];

const statements: { name: string; file: string; code: string; rules: string[] }[] = [
  {
    name: 'a workflow names an activity by type',
    file: 'workflows/a.ts',
    code: "export type { A } from '../activities/a';",
    rules: ['no-restricted-imports'],
  },
  {
    name: 'the client names a workflow by type',
    file: 'client.ts',
    code: "export type { A } from './workflows/agent';",
    rules: [],
  },
  {
    name: 'core loads a module at run time',
    file: 'core/a.ts',
    code: "export const a = () => import('../protocol/run');",
    rules: ['no-restricted-syntax'],
  },
  {
    name: 'core has an async function',
    file: 'core/a.ts',
    code: 'export async function a() {}',
    rules: ['no-restricted-syntax'],
  },
  ...[
    'Date.now()',
    'Math.random()',
    'setTimeout(b)',
    'process.env',
    'Buffer.from(b)',
    'crypto',
  ].map((code) => ({
    name: `core uses ${code}`,
    file: 'core/a.ts',
    code: `export const a = (b) => ${code};`,
    rules: [code.startsWith('Math') ? 'no-restricted-properties' : 'no-restricted-globals'],
  })),
  ...['process.env', 'Buffer.from(b)', 'crypto', 'fetch(b)'].map((code) => ({
    name: `a workflow uses ${code}`,
    file: 'workflows/a.ts',
    code: `export const a = (b) => ${code};`,
    rules: ['no-restricted-globals'],
  })),
  {
    name: 'a workflow reads the clock, which the sandbox makes deterministic',
    file: 'workflows/a.ts',
    code: 'export const a = () => Date.now();',
    rules: [],
  },
];

describe('import boundaries', () => {
  let restrictions: string[][];

  beforeAll(() => {
    const arrows = cases.map(({ file, imports }) => [file, `export * from '${imports}';`] as const);
    const uses = statements.map(({ file, code }) => [file, code] as const);
    restrictions = brokenRules([...arrows, ...uses]);
  }, 120_000);

  it.each(cases.map((one, index) => ({ ...one, verdict: one.refused ? 'may not' : 'may', index })))(
    'src/$file $verdict import $imports',
    ({ refused: isRefused, index }) => {
      expect(restrictions[index]).toEqual(isRefused ? ['no-restricted-imports'] : []);
    },
  );

  it.each(statements.map((one, index) => ({ ...one, index })))(
    '$name: $rules',
    ({ rules, index }) => {
      expect(restrictions[cases.length + index]).toEqual(rules);
    },
  );
});
