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
  ...allowed('protocol/a.ts', './run', '../base'),
  ...refused('core/a.ts', '@temporalio/workflow', 'node:crypto', 'zod', 'yaml', '..', 'longhaul'),
  ...refused('core/a.ts', '../workflows', '../activities', '../define', '../client', '../new'),
  ...refused('core/nested/a.ts', '../../workflows', '../../index'),
  ...allowed('core/a.ts', './spec', './nested/b', '../protocol/run', '../base'),
  ...allowed('core/nested/a.ts', '../workflows', '../../protocol/run', '../../base'),
  ...refused('core/a.ts', '../agent-run'),
  ...refused('workflows/a.ts', '../agent-run', '../activities', 'node:fs', '@temporalio/client'),
  ...refused('workflows/a.ts', '../define', '../providers', '@temporalio/activity', 'ajv'),
  ...refused('workflows/a.ts', '../stores'),
  ...allowed('workflows/a.ts', '../core/b', '../protocol', '@temporalio/workflow', 'fflate'),
  ...refused('workflows/a.ts', '../protocol/run', '../base/json'),
  ...allowed('define/schema/a.ts', '../../protocol/limits', '../../base'),
  ...refused('define/a.ts', '../protocol/limits', '../base/json'),
  ...refused('agent-run/a.ts', '../workflows', '../define', 'node:fs', '@temporalio/common'),
  ...allowed('agent-run/a.ts', '../core/b', '../protocol', '../base', './b'),
  ...refused('agent-run.ts', './define', './workflows', 'ajv'),
  ...allowed('agent-run.ts', './agent-run/b', './core/b', './protocol'),
  ...refused('telemetry/a.ts', '../define', '../worker', '@opentelemetry/api'),
  ...refused('telemetry/otel/a.ts', '../../worker', '../../activities', 'openai'),
  ...refused('telemetry/otel/a.ts', '../../client', '../../define/tool'),
  ...allowed('telemetry/otel/a.ts', '../index', '../../define', '@opentelemetry/api', 'zod'),
  ...refused('providers/provider.ts', 'openai', '@temporalio/common', '../activities'),
  ...refused('providers/openai/a.ts', '../google/b', '@google/genai', '../../activities'),
  ...refused('providers/google/a.ts', 'openai', '@temporalio/common', '../../core/b'),
  ...allowed('providers/openai/a.ts', 'openai', '../provider', '../../protocol', './b'),
  ...allowed('providers/anthropic/a.ts', '@anthropic-ai/sdk/resources'),
  ...refused('stores/a.ts', '@temporalio/client', 'openai', '../providers', '../workflows'),
  ...refused('stores/a.ts', '../core/b', '../activities', '../worker', '../client'),
  ...allowed('stores/a.ts', 'node:sqlite', 'pg', '@aws-sdk/client-s3', '../protocol', './b'),
  ...refused('stores.ts', './client', './define', '@aws-sdk/client-s3', 'pg'),
  ...allowed('stores.ts', './stores/b', './protocol', './core/stored-key'),
  ...refused('define/a.ts', '@temporalio/common', '../providers', '../workflows'),
  ...allowed('define/a.ts', '../core/b', '../protocol', 'node:fs', 'zod'),
  ...allowed('define/nested/a.ts', '../b', '../../base', '../../protocol'),
  ...refused('server/a.ts', '../cli', '../worker', '../testing'),
  ...refused('activities/a.ts', '../workflows', '../client', '../providers/openai/b', 'openai'),
  ...refused('activities/a.ts', '../define/tool', '../providers/provider', '../stores/state/b'),
  ...allowed('activities/a.ts', '../agent-run/index', '../core/b', '../define', '../stores/index'),
  ...allowed('activities/a.ts', '../define/arguments', '../define/schema', '../providers'),
  ...allowed('activities/a.ts', '@temporalio/activity', '@temporalio/common'),
  ...refused('client.ts', './activities', './worker', './workflows', '@temporalio/worker'),
  ...allowed('client.ts', './protocol', './client/b', '@temporalio/client'),
  ...refused('client/a.ts', '../activities', '../worker', '../define/b', '@temporalio/worker'),
  ...refused('client/a.ts', '../server/b', '../client'),
  ...allowed('client/a.ts', '../protocol', '../server', '../define', './b', '@temporalio/client'),
  ...allowed('client/a.ts', '../server/dev', '../server/machine', '../stores/index'),
  ...refused('http/a.ts', '../client/handles/run-handle', '../worker', '../activities'),
  ...allowed('http/a.ts', '../client', '../client/index', '../core/b', '../stores/index'),
  ...refused('worker.ts', './cli', './workflows', './testing/index', './client'),
  ...allowed('worker.ts', './worker/b', './activities', './providers', './stores'),
  ...refused('worker/a.ts', '../client', '../cli', '../workflows', '../testing/index', 'openai'),
  ...refused('worker/a.ts', '../activities/model/call-model', '../define/tool'),
  ...allowed('worker/a.ts', '../activities', '../define', '@temporalio/worker', './b'),
  ...refused('cli/a.ts', '../activities', '../workflows', '../client/why/explain', '../testing'),
  ...allowed('cli/a.ts', '../client', '../worker', '../define', '../protocol', 'commander'),
  ...allowed('cli/nested/a.ts', '../../worker', '../core', '../../server/machine'),
  ...refused('testing/a.ts', '../cli', '../providers/openai/b', '../workflows'),
  ...allowed('testing/a.ts', '../activities', '../providers', '../worker', '../client'),
  ...refused('index.ts', './worker', './client', '@temporalio/common', './activities'),
  ...allowed('index.ts', './define', './core/b', './protocol', './telemetry/otel'),
];

const statements: { name: string; file: string; code: string; rules: string[] }[] = [
  {
    name: 'a workflow names an activity by type',
    file: 'workflows/a.ts',
    code: "export type { A } from '../activities';",
    rules: ['no-restricted-imports'],
  },
  {
    name: 'the client names a workflow by type',
    file: 'client.ts',
    code: "export type { A } from './workflows';",
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
