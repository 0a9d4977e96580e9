// Puts faults of our own past back, one at a time, and measures how long the simulated campaign takes to find each.
// Usage: npm run mutate -- [--minutes M] [NAME …]
//
// 1. A mutation is a patch in `mutations/`. `NAME` is the begin of its name: by default, all of them are tried.
// 2. The patch is applied to a copy of the project. The campaign runs there from seed 1, with short texts, until a seed is wrong.
// 3. Exit code 1 if more than one of all mutations is not found.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../campaign.mts';

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' } },
  allowPositionals: true,
});
const minutes = wholeNumber('minutes', values.minutes);

const project = resolve(import.meta.dirname, '../..');
const folder = join(import.meta.dirname, 'mutations');
/** What a build and the campaign read. */
const needed = [
  'src',
  'scripts',
  'test/simulator',
  'test/run-sources.mts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** With longer texts a round takes a few times as long, and finds hardly more. */
const textBytes = 2_000;
const mayBeMissed = 1;

type Found = { readonly seed: number; readonly seconds: number; readonly verdict: string };

let running: ChildProcess | undefined;
const folders: string[] = [];
process.on('exit', () => {
  running?.kill('SIGKILL');
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const all = readdirSync(folder)
  .filter((file) => file.endsWith('.patch'))
  .map((file) => file.slice(0, -'.patch'.length));
const chosen = all.filter(
  (name) => positionals.length === 0 || positionals.some((begin) => name.startsWith(begin)),
);
if (chosen.length === 0) throw new Error(`there is no such mutation; there are ${all.join(', ')}`);

const table: Record<string, object> = {};
let found = 0;
for (const name of chosen) {
  const copy = copyWith(name);
  const result = await campaign(copy);
  rmSync(copy, { recursive: true, force: true });
  const { seed, seconds, verdict } = result ?? {};
  table[name] = { found: result ? 'yes' : 'no', seed, seconds, verdict: verdict?.slice(0, 80) };
  if (result) found += 1;
  const what = result
    ? `found by seed ${seed} after ${seconds} s: ${verdict}`
    : `not found within ${minutes} minutes`;
  console.log(`${name}: ${what}`);
}
console.table(table);
console.log(`${found} of ${chosen.length} found`);
process.exitCode = found < chosen.length - mayBeMissed ? 1 : 0;

/** A copy of the project with the mutation, built. */
function copyWith(name: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'longhaul-mutation-'));
  folders.push(copy);
  for (const path of needed) cpSync(join(project, path), join(copy, path), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  run('git', ['apply', '--unsafe-paths', join(folder, `${name}.patch`)], copy);
  run(process.execPath, ['scripts/build.mjs'], copy);
  return copy;
}

function run(command: string, options: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, options, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${options.join(' ')} failed: ${stderr}`);
}

/** Undefined if all seeds of the time were right. */
async function campaign(copy: string): Promise<Found | undefined> {
  const start = Date.now();
  const options = [
    '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    ...['--import', './test/run-sources.mts', 'scripts/simulate.mts'],
    ...['--minutes', String(minutes), '--texts', String(textBytes), '--tries', '0'],
  ];
  const child = spawn(process.execPath, options, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
  running = child;
  const tooLong = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000);
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  let last = 'nothing';
  child.stderr.on('data', (text: Buffer) => (last = text.toString().trim() || last));
  let seed = 1;
  const at = (verdict: string): Found => {
    return { seed, seconds: Math.round((Date.now() - start) / 1_000), verdict };
  };
  let result: Found | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, wrong, verdict] = /^ {2}WRONG \(seed (\d+)\): (.*)/.exec(line) ?? [];
    if (wrong !== undefined && verdict !== undefined) {
      seed = Number(wrong);
      result = at(verdict);
      break;
    }
    const [, right] = /^seed (\d+): all as expected/.exec(line) ?? [];
    if (right !== undefined) seed = Number(right) + 1;
  }
  clearTimeout(tooLong);
  child.kill('SIGKILL');
  const code = await ended;
  running = undefined;
  // The watchdog ends a process whose code loops for ever.
  if (result === undefined && code !== null && code !== 0) return at(last);
  return result;
}
