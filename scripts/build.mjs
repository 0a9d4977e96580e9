// Builds dist/. It is replaced whole once everything is there: who reads it meanwhile sees the old one.
// Usage: build.mjs [--if-stale] [--quick]
// --quick only strips the types, in a fifth of the time: no checks, no declarations. Who builds without it next, builds all.
import { transformFile } from '@swc/core';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

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
  const { status } = spawnSync(process.execPath, [script, ...args], {
    stdio: ['inherit', isQuick ? 'ignore' : 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function strip(folder) {
  const options = {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true },
  };
  const stripOne = async (file) => {
    const target = join(folder, relative('src', file).replace(/ts$/, 'js'));
    const { code } = await transformFile(file, options);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  };
  await Promise.all(globSync('src/**/*.ts').map(stripOne));
}

if (!process.argv.includes('--if-stale') || isStale()) {
  const next = `.build-${process.pid}`;
  const beganAt = Date.now();
  const tell = (text) => process.stderr.write(text);
  process.on('exit', () => rmSync(next, { recursive: true, force: true }));
  tell('Building Longhaul: the code … ');
  if (isQuick) await strip(next);
  else run('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', next]);
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
