// Builds each version of Longhaul in a folder of its own, with the scripts of this test in it. They share the project's node_modules.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { nextFormatVersion, nextVersion, type Edit } from './next-version.mts';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '../..');

/** The contract was frozen with this commit. It stands for the release before, until there is one: then its tag does. */
const frozen = '1c38a803';
const releaseTag = 'v0.2.0';

export type VersionName = 'previous' | 'this' | 'next' | 'next-format';
export type Versions = { readonly [name in VersionName]: string };

/** What a version is built from. */
const sources = ['src', 'scripts', 'package.json', 'package-lock.json'];
const settings = ['tsconfig.json', 'tsconfig.build.json'];
const processes = ['worker.mts', 'client.mts', 'agents.mts', 'cases.mts', 'rounds.mts'];

/** The folders of the versions, and what each was made of. */
export async function buildVersions(
  scratch: string,
): Promise<{ readonly folders: Versions; readonly previous: string }> {
  const previous = await previousCommit();
  const folders = {
    previous: join(scratch, `previous-${previous}`),
    this: join(scratch, 'this'),
    next: join(scratch, 'next'),
    'next-format': join(scratch, 'next-format'),
  };
  await Promise.all([
    buildPrevious(folders.previous, previous),
    copyThis(folders.this),
    buildNext(folders.next, nextVersion),
    buildNext(folders['next-format'], [...nextVersion, ...nextFormatVersion]),
  ]);
  for (const folder of Object.values(folders)) await addProcesses(folder);
  return { folders, previous };
}

async function previousCommit(): Promise<string> {
  for (const name of [`refs/tags/${releaseTag}`, frozen]) {
    const args = ['rev-parse', '--short=8', '--quiet', '--verify', `${name}^{commit}`];
    const found = await run('git', args, { cwd: repository }).catch(() => undefined);
    if (found !== undefined) return found.stdout.trim();
  }
  throw new Error(
    `The commit ${frozen}, with which this version is compared, is not in this clone. Fetch the whole history: git fetch --unshallow`,
  );
}

/** A commit does not change: what an earlier run built of it stays. */
async function buildPrevious(folder: string, commit: string): Promise<void> {
  if (existsSync(join(folder, 'dist'))) return;
  await mkdir(folder, { recursive: true });
  await command('sh', ['-c', `git archive ${commit} | tar -x -C '${folder}'`], repository);
  await build(folder);
}

/** As `npm run upgrades` has built it. */
async function copyThis(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const name of ['dist', 'package.json'])
    await cp(join(repository, name), join(folder, name), { recursive: true });
  await linkPackages(folder);
}

/** What an earlier run built stays if it was made of the same. */
async function buildNext(folder: string, edits: readonly Edit[]): Promise<void> {
  const [marker, wanted] = [join(folder, 'made-of'), await digestOf(edits)];
  if (existsSync(marker) && (await readFile(marker, 'utf8')) === wanted) return;
  await rm(folder, { recursive: true, force: true });
  for (const name of [...sources, ...settings])
    await cp(join(repository, name), join(folder, name), { recursive: true });
  for (const edit of edits) await apply(folder, edit);
  await build(folder);
  await writeFile(marker, wanted);
}

async function digestOf(edits: readonly Edit[]): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(edits));
  const files = await readdir(join(repository, 'src'), { recursive: true, withFileTypes: true });
  for (const file of files)
    if (file.isFile()) digest.update(await readFile(join(file.parentPath, file.name)));
  return digest.digest('hex');
}

/** The text must be there once: a source that has moved fails the test, in place of a next version that is none. */
async function apply(folder: string, { file, from, to }: Edit): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  const found = text.split(from).length - 1;
  if (found !== 1)
    throw new Error(
      `${file} has this text ${found} times, not once. Correct scripts/upgrades/next-version.mts:\n${from}`,
    );
  await writeFile(
    path,
    text.replace(from, () => to),
  );
}

async function build(folder: string): Promise<void> {
  await linkPackages(folder);
  await command(process.execPath, ['scripts/build.mjs'], folder);
}

async function linkPackages(folder: string): Promise<void> {
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
}

/** A package finds itself by its name: in this folder, `longhaul` is the version that is built here. */
async function addProcesses(folder: string): Promise<void> {
  for (const name of processes)
    await cp(join(import.meta.dirname, name), join(folder, 'upgrades', name));
}

async function command(name: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await run(name, args, { cwd, maxBuffer: 2 ** 26 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${name} ${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`, {
      cause: error,
    });
  }
}
