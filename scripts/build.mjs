// Builds dist/. It is replaced whole once everything is there: who reads it meanwhile sees the old one.
// Usage: build.mjs [--if-stale]
import { spawnSync } from 'node:child_process';
import { globSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));

const modified = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isStale() {
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
  process.on('exit', () => rmSync(next, { recursive: true, force: true }));
  run('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', next]);
  run('scripts/build-workflow-bundle.mjs', [next]);
  // For editors, which read it as a file.
  const { specFileSchema } = createRequire(import.meta.url)(resolve(next, 'index.js'));
  writeFileSync(`${next}/spec.schema.json`, JSON.stringify(specFileSchema()));
  rmSync('dist', { recursive: true, force: true });
  renameSync(next, 'dist');
}
