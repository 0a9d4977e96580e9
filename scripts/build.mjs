// Builds dist/. It is replaced whole once everything is there: who reads it meanwhile sees the old one.
// Usage: build.mjs [--if-stale] [--quick]
// --quick checks no types, which takes half of the time. Who builds without it next, builds all.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));

const modified = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isQuick = process.argv.includes('--quick');
/** In what a quick build made. */
const quickMark = '.quick';

function isStale() {
  if (existsSync(`dist/${quickMark}`) && !isQuick) return true;
  const built = modified('dist/workflow-bundle.js');
  const sources = ['package-lock.json', ...globSync('tsconfig*.json'), ...globSync('src/**')];
  return sources.some((file) => modified(file) > built);
}

function run(script, args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!process.argv.includes('--if-stale') || isStale()) {
  const next = `.build-${process.pid}`;
  const beganAt = Date.now();
  const tell = (text) => process.stderr.write(text);
  process.on('exit', () => rmSync(next, { recursive: true, force: true }));
  tell('Building Longhaul: the code … ');
  const noCheck = String(isQuick);
  const options = ['-p', 'tsconfig.build.json', '--outDir', next, '--noCheck', noCheck];
  run('node_modules/typescript/bin/tsc', options);
  tell('the workflow bundle … ');
  run('scripts/build-workflow-bundle.mjs', [next]);
  // For editors, which read it as a file.
  const { specFileSchema } = createRequire(import.meta.url)(resolve(next, 'index.js'));
  writeFileSync(`${next}/spec.schema.json`, JSON.stringify(specFileSchema()));
  rmSync('dist', { recursive: true, force: true });
  if (isQuick) writeFileSync(`${next}/${quickMark}`, '');
  renameSync(next, 'dist');
  tell(`done in ${Math.round((Date.now() - beganAt) / 1_000)} s.\n`);
}
