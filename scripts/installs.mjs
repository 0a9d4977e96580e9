// Installs the packed package into empty projects as its users do: alone, with a worker, with each optional package, with the oldest
// minor version of Temporal's SDK and with one that is newer than all tested ones, by npm, pnpm and yarn. Uses it there, against a dev server, and prints what was installed.
// Needs a package registry. Usage: installs.mjs [--quick] [words that the names of the cases contain]
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

process.chdir(resolve(import.meta.dirname, '..'));
const require = createRequire(import.meta.url);
const { startDevServer } = require('../dist/testing/index.js');
const { testedMinors } = require('../dist/protocol/peers.js');
const { bin, exports, peerDependencies, peerDependenciesMeta } = require('../package.json');
const { positionals: words, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' } },
});

const temporal = (version, names) => names.map((name) => `@temporalio/${name}@${version}`);
const [oldest, newest] = [testedMinors[0], testedMinors.at(-1)];
const worker = temporal(newest, ['worker']);
const sdkOfWorkers = ['worker', 'client', 'common', 'activity', 'workflow', 'envconfig'];
const optional = Object.keys(peerDependencies)
  .filter((name) => peerDependenciesMeta[name]?.optional && !name.startsWith('@temporalio/'))
  .map((name) => `${name}@${peerDependencies[name]}`);

/** Yarn 1 asks the registry for the builds for all platforms, too, which a partial mirror does not carry. */
function elsewhere() {
  const { optionalDependencies } = require('@swc/core/package.json');
  const builds = Object.keys(optionalDependencies).filter((name) => !canResolve(name));
  return Object.fromEntries(builds.map((name) => [name, `file:${empty}`]));
}

function canResolve(name) {
  try {
    return require.resolve(`${name}/package.json`) !== '';
  } catch {
    return false;
  }
}

/** Yarn 1 installs no peers by itself. */
const managers = {
  npm: { add: ['npm', 'install', '--no-audit', '--no-fund'], peers: [] },
  pnpm: { add: ['npx', '--yes', 'pnpm@10', 'add'], peers: [] },
  yarn: {
    add: ['npx', '--yes', 'yarn@1', 'add', '--non-interactive'],
    peers: [...temporal(newest, ['client', 'common', 'envconfig']), 'protobufjs@8'],
    manifest: () => ({ resolutions: elsewhere() }),
  },
};

/** A history as the command line of Temporal exports it. */
const recorded = resolve('test/fixtures/histories/0.1.0/approval-rejected.json');

/** A version of Temporal's SDK that nobody has tested: the newest tested one under another number. */
const untested = '1.99';

/** Alone, the first agent that README shows, the oldest Temporal, an untested one, a replay and two compilers. The whole takes eight minutes. */
const quickCases = [
  'npm alone',
  'npm first agent',
  ...[oldest, untested].map((minor) => `npm Temporal ${minor}`),
  'npm types',
];

/** Two compilers in one project: a tarball says `typescript` for both. */
const compilers = ['5.9', '6'];
const typed = [
  ...worker,
  ...temporal(newest, ['testing', 'workflow']),
  '@opentelemetry/api',
  '@types/node@22',
  ...compilers.map((version) => `typescript-${version}@npm:typescript@~${version}`),
];

/** `first` is in the project before the package is. */
const cases = [
  ...Object.entries(managers).flatMap(([manager, { peers }]) => [
    { manager, name: 'alone', add: peers, uses: ['client', 'init'] },
    { manager, name: 'worker', add: [...worker, ...peers], uses: ['run'] },
    {
      manager,
      name: 'own workflows',
      add: [...worker, ...temporal(newest, ['workflow']), ...peers],
      uses: ['run', 'own workflows'],
    },
    { manager, name: 'first agent', add: [...worker, 'openai', 'zod', ...peers], uses: ['run'] },
    {
      manager,
      name: 'testing',
      add: [...worker, ...temporal(newest, ['testing']), ...peers],
      uses: ['testing'],
    },
    {
      manager,
      name: `Temporal ${oldest}`,
      first: temporal(`${oldest}.0`, sdkOfWorkers),
      add: [],
      uses: ['run', 'own workflows'],
    },
  ]),
  {
    manager: 'npm',
    name: `Temporal ${untested}`,
    add: [...worker, ...temporal(newest, ['workflow'])],
    raise: `${untested}.0`,
    logsOnce: `Temporal's SDK ${untested}.0 is newer than ${newest}`,
    uses: ['run', 'own workflows', 'refused'],
  },
  ...optional.map((name) => ({ manager: 'npm', name, add: [...worker, name], uses: ['run'] })),
  {
    manager: 'npm',
    name: 'types',
    add: typed,
    uses: ['testing', ...compilers.map((version) => `types ${version}`)],
  },
  {
    manager: 'npm',
    name: 'everything',
    add: [...worker, ...temporal(newest, ['testing']), ...optional],
    uses: ['run', 'testing'],
  },
].filter(
  ({ manager, name }) =>
    words.every((word) => `${manager} ${name}`.includes(word)) &&
    (!values.quick || quickCases.includes(`${manager} ${name}`)),
);

/** The same module as an ES module and as CommonJS. Each wrong line has to be refused, or the types would be lost. */
const consumer = `
${Object.keys(exports)
  .filter((path) => path !== './package.json')
  .map((path, index) => `export * as e${index} from '${join('longhaul', path)}';`)
  .join('\n')}
import { defineAgent } from 'longhaul';
import { connect, type RunHandle } from 'longhaul/client';
import { createWorker } from 'longhaul/worker';
export const agent = defineAgent({ id: 'a', model: 'openai/x' });
// @ts-expect-error: no such option
defineAgent({ id: 'b', model: 'openai/x', modle: 'y' });
export async function use(): Promise<string> {
  const longhaul = await connect();
  const run: RunHandle = await longhaul.start('a', 'Hello');
  await run.resume('Oslo');
  // @ts-expect-error: a model is no option of an answer
  await run.resume('Oslo', { model: 'openai/x' });
  const outcome = await run.outcome();
  // @ts-expect-error: a run that waits has no result
  outcome.result;
  return outcome.kind === 'complete' ? outcome.result.finalResponse.text : outcome.question;
}
export const worker = () => createWorker({ runners: [agent] });
`;

/** skipLibCheck hides a package's own broken imports; what its dependencies get wrong is not ours. */
const types = `
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
const tsc = (...args) => {
  const compiler = 'node_modules/typescript-' + process.argv[2] + '/bin/tsc';
  return spawnSync(process.execPath, [compiler, ...args], { encoding: 'utf8' }).stdout;
};
assert.match(tsc('--version'), new RegExp('^Version ' + process.argv[2] + '[.]'));
const options = '--strict --noEmit --target es2023 --types node --pretty false --listFiles';
for (const [module, resolution] of [['node20', 'node16'], ['esnext', 'bundler']]) {
  const how = ['--module', module, '--moduleResolution', resolution];
  const lines = tsc(...options.split(' '), ...how, 'consumer.mts', 'consumer.cts').split('\\n');
  const listed = (end) => lines.some((line) => line.endsWith(end));
  assert.ok(listed('consumer.mts') && listed('consumer.cts') && listed('/longhaul/dist/telemetry/otel/index.d.ts'));
  const errors = lines.filter((line) => /^(consumer|node_modules.longhaul).*error TS/.test(line));
  assert.deepStrictEqual(errors, []);
}
`;

/** Programs of a project that has the package. */
const programs = {
  client: `
import assert from 'node:assert';
import { connect } from 'longhaul/client';
const missing = (name) => ({ code: 'PackageMissing', details: { package: name } });
await assert.rejects(import('longhaul/worker'), missing('@temporalio/worker'));
await assert.rejects(import('longhaul/testing'), missing('@temporalio/worker'));
const longhaul = await connect();
const run = await longhaul.start('nobody', 'Hello');
assert.strictEqual(run.warning?.code, 'NoWorker');
await run.cancel();
await longhaul.close();
`,
  run: `
import assert from 'node:assert';
import { defineAgent } from 'longhaul';
import { connect } from 'longhaul/client';
import { createWorker } from 'longhaul/worker';
const call = async () => ({
  content: [{ type: 'text', text: 'Done.' }],
  usage: {
    inputTokens: null,
    outputTokens: null,
    totalTokens: null,
    cacheReadTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
  },
  finishReason: 'stop',
  origin: { provider: 'local', api: 'local', model: 'x' },
});
const taskQueue = 'try-' + process.pid;
const options = JSON.parse(process.argv[2] ?? '{}');
const worker = await createWorker({
  taskQueue,
  runners: [defineAgent({ id: 'a', model: 'local/x' })],
  providers: { local: { name: 'local', call } },
  workerOptions: options,
});
await worker.runUntil(async () => {
  const longhaul = await connect({ taskQueue });
  const run = await longhaul.start('a', 'Hello');
  const { finalResponse } = await run.result();
  assert.strictEqual(finalResponse.text, 'Done.');
  await longhaul.close();
});
`,
  refused: `
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
const sdk = 'node_modules/@temporalio/';
const setVersion = (name, version) => {
  const file = sdk + name + '/package.json';
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, version }));
  return manifest.version;
};
const refused = (code, pattern) => {
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  assert.notStrictEqual(status, 0);
  assert.match(stderr, /code: 'SdkMismatch'/);
  assert.match(stderr, pattern);
};
const worker = "new (require('longhaul/worker').LonghaulPlugin)()";
const version = setVersion('workflow', '1.98.0');
refused(worker, /twice: .*worker 1.99.0 in .+, and .*workflow 1.98.0 in .+/);
setVersion('workflow', version);
const second = sdk + 'worker/node_modules/@temporalio/workflow';
cpSync(sdk + 'workflow', second, { recursive: true });
refused(worker, /twice: .*workflow 1.99.0 in .+, and .*workflow 1.99.0 in .+worker.node_modules.+/);
rmSync(second, { recursive: true });
for (const name of readdirSync(sdk)) setVersion(name, '2.0.0');
refused(worker, /does not run with .* 2.0.0 in .*needs version .* below 2/);
refused("require('longhaul/client')", /does not run with .*client 2.0.0 in .*needs version .* below 2/);
`,
  testing: `
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { replay, scriptedModel } from 'longhaul/testing';
assert.strictEqual(typeof scriptedModel([]).call, 'function');
await replay(JSON.parse(readFileSync(process.argv[2], 'utf8')));
`,
  init: `
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
const command = ['node_modules/longhaul/' + process.argv[3], 'init', 'made'];
assert.strictEqual(spawnSync(process.execPath, command, { stdio: 'inherit' }).status, 0);
const { dependencies } = JSON.parse(readFileSync('made/package.json', 'utf8'));
assert.strictEqual(resolve('made', dependencies.longhaul.replace(/^file:/, '')), process.argv[2]);
`,
  types,
};

const commands = {
  types: (_, version) => ['types.mjs', version],
  client: () => ['client.mjs'],
  init: (_project, _version, tarball) => ['init.mjs', tarball, bin.longhaul],
  run: () => ['run.mjs'],
  refused: () => ['refused.mjs'],
  'own workflows': (project) => [
    'run.mjs',
    JSON.stringify({ workflowsPath: join(project, 'workflows.mjs') }),
  ],
  testing: () => ['testing.mjs', recorded],
};

const folder = mkdtempSync(join(tmpdir(), 'longhaul-installs-'));
const empty = join(folder, 'empty');

function writePackage(path, manifest = {}) {
  const own = { name: 'project', version: '1.0.0', license: 'MIT', ...manifest };
  writeFileSync(join(path, 'package.json'), JSON.stringify(own));
}

function run([command, ...args], { cwd = '.', env = {} } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, npm_config_store_dir: join(folder, 'store'), ...env },
  });
  if (result.status === 0) return result;
  throw new Error(
    `${command} ${args.join(' ')}\n${result.error ?? ''}${result.stdout}${result.stderr}`,
  );
}

/** Every package that was installed, wherever the manager put it; links lead to where one is counted. */
function packagesIn(modules) {
  if (!existsSync(modules)) return [];
  return readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const path = join(modules, entry.name);
    if (!entry.isDirectory() || entry.name === '.bin') return [];
    if (entry.name.startsWith('@')) return packagesIn(path);
    if (entry.name === '.pnpm')
      return readdirSync(path).flatMap((name) => packagesIn(join(path, name, 'node_modules')));
    return entry.name.startsWith('.') ? [] : [path, ...packagesIn(join(path, 'node_modules'))];
  });
}

/** Gives all of Temporal's packages of the project another version. */
function raiseTemporal(modules, version) {
  const folder = join(modules, '@temporalio');
  for (const name of readdirSync(folder)) {
    const file = join(folder, name, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, version }));
  }
}

function tryCase({ manager, first, add, raise, logsOnce, uses }, { tarball, address }) {
  const project = mkdtempSync(join(folder, 'project-'));
  const { add: adding, manifest } = managers[manager];
  writePackage(project, manifest?.());
  if (first) run([...adding, ...first], { cwd: project });
  run([...adding, tarball, ...add], { cwd: project });
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(project, `${name}.mjs`), text);
  for (const name of ['consumer.mts', 'consumer.cts']) writeFileSync(join(project, name), consumer);
  writeFileSync(join(project, 'workflows.mjs'), "export * from 'longhaul/workflows';\n");
  const modules = join(project, 'node_modules');
  if (raise) raiseTemporal(modules, raise);
  const size = run(['du', '-sk', modules]).stdout.split('\t')[0] / 1024;
  const figures = { packages: packagesIn(modules).length, megabytes: Math.round(size) };
  for (const use of uses) {
    const [command, version] = use.startsWith('types ') ? use.split(' ') : [use];
    const args = commands[command](project, version, tarball);
    const env = { TEMPORAL_ADDRESS: address };
    const { stderr } = run([process.execPath, ...args], { cwd: project, env });
    if (logsOnce && use !== 'refused' && stderr.split(logsOnce).length !== 2)
      throw new Error(`${use}: not logged once: ${logsOnce}\n${stderr}`);
  }
  rmSync(project, { recursive: true, force: true });
  return figures;
}

const server = await startDevServer({ headless: true });
try {
  mkdirSync(empty);
  writePackage(empty, { name: 'empty' });
  const pack = ['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const tarball = join(folder, run(pack).stdout.trim());
  for (const one of cases) {
    const title = `${one.manager.padEnd(5)} ${one.name.padEnd(32)}`;
    try {
      const { packages, megabytes } = tryCase(one, { tarball, address: server.address });
      console.log(`ok      ${title} ${packages} packages, ${megabytes} MB`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAILED  ${title}\n${error.message}`);
    }
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
