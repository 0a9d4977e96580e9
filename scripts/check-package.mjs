// Packs what was built, installs it beside nothing but its own dependencies, and looks at it as its users will.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));
const { bin, dependencies, exports, name, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const entries = Object.keys(exports).filter((path) => path !== './package.json');
const temporal = Object.keys(peerDependencies).filter((peer) => peer.startsWith('@temporalio/'));
const specifiers = entries.map((path) => join(name, path));
const folder = mkdtempSync(join(tmpdir(), `${name}-package-`));
const installed = join(folder, 'node_modules', name);

/** What `require` finds must be importable by name: an ES module's named imports are guessed from the text. */
const IMPORTS = `
import assert from 'node:assert';
import { createRequire } from 'node:module';
const names = (entry) => Object.keys(entry).filter((key) => !MARKERS.includes(key)).sort();
const MARKERS = ['default', 'module.exports', '__esModule'];
const required = createRequire(import.meta.url)(process.argv[2]);
assert.deepStrictEqual(names(await import(process.argv[2])), names(required));
`;

/** What needs each optional package says so when it is not installed, and can be made when it is. */
const OPTIONAL = `
import assert from 'node:assert';
import { defineAgent, mcpTools, openTelemetry } from 'longhaul';
import { S3Results } from 'longhaul/stores';
import { PostgresStores } from 'longhaul/stores';
import { LonghaulPlugin } from 'longhaul/worker';
const workerOf = (model) => () => new LonghaulPlugin({ runners: [defineAgent({ id: 'a', model })] });
const make = {
  openai: workerOf('openai/x'),
  '@anthropic-ai/sdk': workerOf('anthropic/x'),
  '@google/genai': workerOf('google/x'),
  '@modelcontextprotocol/sdk': () => new LonghaulPlugin({ mcpServers: [mcpTools({ name: 'm', url: 'http://127.0.0.1:1' })] }),
  '@opentelemetry/api': () => openTelemetry(),
  pg: () => new PostgresStores(),
  '@aws-sdk/client-s3': () => new S3Results({ bucket: 'b', region: 'eu-west-1' }),
};
const [name, isInstalled] = process.argv.slice(2);
if (isInstalled === 'true') make[name]();
else assert.throws(make[name], { code: 'PackageMissing', details: { package: name } });
`;

/** Prints whether the command succeeded, and if not what it said; `relevant` picks the lines that count as its errors. */
function check(title, [command, ...args], { cwd = '.', relevant } = {}) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8' });
  const output = `${result.error ?? ''}${result.stdout}${result.stderr}`;
  const errors = relevant ? output.split('\n').filter(relevant).join('\n') : output;
  const passed = result.status === 0 || (relevant !== undefined && errors === '');
  console.log(`${passed ? 'ok' : 'FAILED'}: ${title}${passed ? '' : `\n${errors}`}`);
  if (!passed) process.exitCode = 1;
  return result.stdout;
}

/** What the package needs to have, and what else may be in it: no sources, no source maps, no pictures. */
const needed = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'dist/spec.schema.json',
  'dist/workflow-bundle.LICENSES.txt',
  'docs/upgrading.md',
];
const allowed = /^(?:package\.json|docs\/.+\.md|dist\/.+\.(?:js|d\.ts)|template\/.+)$/;

function checkContents({ files, size, unpackedSize }) {
  const paths = files.map(({ path }) => path);
  const wrong = [
    ...needed.filter((path) => !paths.includes(path)).map((path) => `it lacks ${path}`),
    ...paths.filter((path) => !needed.includes(path) && !allowed.test(path)),
  ];
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  const figures = `${files.length} files, ${megabytes(size)}, unpacked ${megabytes(unpackedSize)}`;
  console.log(
    [`${wrong.length === 0 ? 'ok' : 'FAILED'}: contents: ${figures}`, ...wrong].join('\n'),
  );
  if (wrong.length > 0) process.exitCode = 1;
}

function install() {
  const pack = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(check('npm pack', pack));
  checkContents(packed);
  const tarball = join(folder, packed.filename);
  mkdirSync(installed, { recursive: true });
  check('unpack', ['tar', '-xzf', tarball, '-C', installed, '--strip-components=1']);
  for (const dependency of [...Object.keys(dependencies), ...temporal, '@types/node'])
    link(dependency);
  return tarball;
}

function link(dependency) {
  const path = join(folder, 'node_modules', dependency);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(resolve('node_modules', dependency), path);
  return () => rmSync(path);
}

function checkOptional(dependency) {
  for (const isInstalled of [false, true]) {
    if (isInstalled) link(dependency);
    const title = `${isInstalled ? 'with' : 'without'} ${dependency}`;
    check(title, ['node', 'optional.mjs', dependency, `${isInstalled}`], { cwd: folder });
  }
}

/** skipLibCheck hides a package's own broken imports; what its dependencies get wrong is not ours. */
function typed(module, moduleResolution) {
  const file = 'types.mts';
  const imports = specifiers.map(
    (specifier, index) => `export * as e${index} from '${specifier}';`,
  );
  writeFileSync(join(folder, file), imports.join('\n'));
  const options = [
    '--strict',
    '--noEmit',
    '--target',
    'es2023',
    '--types',
    'node',
    '--pretty',
    'false',
  ];
  check(
    `types under ${moduleResolution}`,
    ['tsc', ...options, '--module', module, '--moduleResolution', moduleResolution, file],
    {
      cwd: folder,
      relevant: (line) => line.startsWith(file) || line.startsWith(`node_modules/${name}/`),
    },
  );
}

try {
  const tarball = install();
  check('publint', ['publint', 'run', tarball, '--strict']);
  check('attw', ['attw', tarball, '--profile', 'node16', '--no-emoji', '--format', 'ascii']);
  typed('node20', 'node16');
  typed('esnext', 'bundler');
  writeFileSync(join(folder, 'imports.mjs'), IMPORTS);
  for (const specifier of specifiers) {
    check(`require and import ${specifier}`, ['node', 'imports.mjs', specifier], { cwd: folder });
  }
  for (const [command, file] of Object.entries(bin)) {
    check(`${command} --help`, ['node', join(installed, file), '--help'], {
      cwd: folder,
    });
  }
  writeFileSync(join(folder, 'optional.mjs'), OPTIONAL);
  Object.keys(peerDependenciesMeta)
    .filter((peer) => !temporal.includes(peer))
    .forEach(checkOptional);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
