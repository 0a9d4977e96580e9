// Puts a system into a folder of its own: its packages at exact versions, its script, and what the script needs.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '../..');

type Packages = Readonly<Record<string, string>>;
export type StoreName = 'temporal' | 'postgres' | 'folder';
export type System = {
  readonly title: string;
  /** The folder in systems/. Default: the name. */
  readonly script?: string;
  /** How the team deploys, for a script that knows several ways. `pinned`: the old code runs on beside the new. */
  readonly variant?: 'replaced' | 'accepts' | 'pinned';
  readonly store: StoreName;
  readonly storeTitle: string;
  /** What differs between the two versions. */
  readonly from: Packages;
  readonly to: Packages;
  readonly both: Packages;
};
export type Side = 'from' | 'to';

export async function readSystems(): Promise<ReadonlyMap<string, System>> {
  const text = await readFile(join(import.meta.dirname, 'versions.json'), 'utf8');
  const { stdout } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: repository });
  const versions = text.replaceAll('"HEAD"', JSON.stringify(stdout.trim()));
  return new Map(Object.entries(JSON.parse(versions) as Record<string, System>));
}

/** Returns the folder. What an earlier run installed there stays if it is the same; the scripts are copied again. */
export async function install(
  name: string,
  system: System,
  { side, scratch }: { readonly side: Side; readonly scratch: string },
): Promise<string> {
  const script = system.script ?? name;
  const folder = join(scratch, `${script}-${side}`);
  await cp(join(import.meta.dirname, 'systems', script), folder, { recursive: true });
  for (const file of ['step.mjs', 'code-old.mjs'])
    await copyFile(join(import.meta.dirname, file), join(folder, file));
  const dependencies = { ...system[side], ...system.both };
  const [marker, wanted] = [join(folder, 'installed.json'), JSON.stringify(dependencies)];
  if (existsSync(marker) && (await readFile(marker, 'utf8')) === wanted) return folder;
  if (dependencies['longhaul'] !== undefined)
    dependencies['longhaul'] = `file:${await packCommit(dependencies['longhaul'], scratch)}`;
  const manifest = { private: true, dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  await command('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  await writeFile(marker, wanted);
  return folder;
}

/** Puts the team's own code into the folder of a system: the deploy. */
export async function deploy(folder: string, code: 'old' | 'new'): Promise<void> {
  await copyFile(join(import.meta.dirname, `code-${code}.mjs`), join(folder, 'code.mjs'));
}

/** Longhaul has no earlier release in a registry, so its version is a commit, built and packed as a release is. */
async function packCommit(commit: string, scratch: string): Promise<string> {
  const source = join(scratch, `longhaul-${commit}`);
  const packed = join(source, 'longhaul.tgz');
  if (existsSync(packed)) return packed;
  await mkdir(source, { recursive: true });
  await command('sh', ['-c', `git archive ${commit} | tar -x -C '${source}'`], repository);
  const [own, ours] = await Promise.all(
    [source, repository].map((folder) => readFile(join(folder, 'package-lock.json'), 'utf8')),
  );
  if (own === ours) await symlink(join(repository, 'node_modules'), join(source, 'node_modules'));
  else await command('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], source);
  await command(process.execPath, ['scripts/build.mjs'], source);
  await command('npm', ['pack', '--ignore-scripts'], source);
  const { version } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    version: string;
  };
  await rename(join(source, `longhaul-${version}.tgz`), packed);
  return packed;
}

async function command(name: string, args: readonly string[], cwd: string): Promise<void> {
  await run(name, args, { cwd, maxBuffer: 2 ** 26 });
}
