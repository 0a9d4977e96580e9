// Records the histories that test/replay replays, and the samples of stored forms, for this version of the package. Run by hand, in an npm script's environment:
//   node scripts/record-histories.mjs                      when the workflows do something else than before
//   node scripts/record-histories.mjs --try <case>,<case>  to look at new cases
//   node scripts/record-histories.mjs --samples            writes only the samples again, from the histories that are there
//   node scripts/record-histories.mjs --neutral "<reason>" when src/{base,protocol,core,workflows} changed, but not what they do
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { covers, guardedHash, readManifest, writeManifest } from './record-histories/manifest.mts';

const project = resolve(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));

function markNeutral(reason) {
  const manifest = readManifest(project);
  const hash = guardedHash(project);
  if (reason.trim().length < 10) throw new Error('--neutral needs a reason');
  if (covers(manifest, hash))
    return console.log('Nothing to mark: the recorded histories are of this code.');
  writeManifest(project, { ...manifest, neutral: [...manifest.neutral, { hash, reason }] });
  console.log(`Marked as neutral: ${reason}`);
}

function build(...options) {
  const script = join(project, 'scripts/build.mjs');
  const { status } = spawnSync(process.execPath, [script, ...options], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the package does not build');
}

async function tryCases(names) {
  build('--if-stale');
  const { recordHistories } = await import('./record-histories/record.mts');
  const histories = await recordHistories(project, names.split(','));
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-tried-'));
  for (const { name, json } of histories) writeFileSync(join(folder, `${name}.json`), json);
  console.log(`Nothing was kept in the project. The histories are in ${folder}`);
}

async function record() {
  const hash = guardedHash(project);
  build();
  const { recordHistories } = await import('./record-histories/record.mts');
  const histories = await recordHistories(project);
  if (guardedHash(project) !== hash) throw new Error('the code changed meanwhile: record again');
  const folder = join(project, 'test/fixtures/histories', version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, json } of histories) writeFileSync(join(folder, `${name}.json`), json);
  await sample(histories);
  writeManifest(project, { hash, neutral: [] });
  const kilobytes = histories.reduce((sum, { json }) => sum + json.length, 0) / 1_000;
  console.log(
    `Recorded ${histories.length} histories of version ${version}, ${kilobytes.toFixed(0)} kB.`,
  );
}

async function sample(histories) {
  const { writeSamples } = await import('./record-histories/samples/write.mts');
  const folder = join(project, 'test/fixtures/samples', version);
  const bytes = await writeSamples(project, histories, folder);
  console.log(`Wrote the samples of version ${version}, ${(bytes / 1_000).toFixed(0)} kB.`);
}

function recorded() {
  const folder = join(project, 'test/fixtures/histories', version);
  return readdirSync(folder).map((file) => ({
    name: basename(file, '.json'),
    json: readFileSync(join(folder, file), 'utf8'),
  }));
}

const { values } = parseArgs({
  options: {
    neutral: { type: 'string' },
    try: { type: 'string' },
    samples: { type: 'boolean' },
  },
});
if (values.neutral !== undefined) markNeutral(values.neutral);
else if (values.try !== undefined) await tryCases(values.try);
else if (values.samples === true) {
  build('--if-stale');
  await sample(recorded());
} else await record();
