import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { exitCodes, UsageError } from '../exit';
import { printableLine } from '../render/text';
import { shellWord } from '../render/render-parts';
import { ownSource } from '../session/own-source';
import type { CommandContext } from '../session/parse-options';

const template = join(__dirname, '../../../template');

/** npm leaves files with this name out of a package. */
const renamed: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

export function addInitCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('init')
    .summary('write a small project that runs offline')
    .description(
      'Writes a small project: an agent with a tool, a worker, a client and a test. It needs no API key. Nothing is overwritten.',
    )
    .argument('[folder]', 'where to', '.')
    .action(async (folder: string) => {
      const written = await writeProject(resolve(folder));
      for (const file of written) terminal.print(printableLine(join(folder, file)));
      const enter = resolve(folder) === process.cwd() ? [] : [`cd ${shellWord(folder)}`];
      terminal.note(`next: ${[...enter, 'npm install', 'npm test', 'npm run dev'].join(' && ')}`);
      finish(exitCodes.done);
    });
}

/** Returns the paths of the files it wrote. If a file exists already, throws before it writes anything. */
async function writeProject(folder: string): Promise<readonly string[]> {
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      source: join(parentPath, name),
      path: join(relative(template, parentPath), renamed[name] ?? name),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const paths = files.map(({ path }) => path);
  const taken = paths.filter((path) => existsSync(join(folder, path)));
  if (taken.length > 0)
    throw new UsageError(
      `${folder} has ${taken.join(', ')} already: nothing was written. Name a new folder: longhaul init my-agent`,
    );
  for (const { source, path } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    const text = await readFile(source, 'utf8');
    const own = path === 'package.json' ? await manifestOf(text, folder) : text;
    await writeFile(target, own, { flag: 'wx' });
  }
  return paths;
}

/** The manifest gets the folder's name, and asks for this package. */
async function manifestOf(text: string, folder: string): Promise<string> {
  const manifest = JSON.parse(text) as { readonly dependencies: object };
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const own = {
    ...manifest,
    ...(name !== '' && { name }),
    dependencies: { ...manifest.dependencies, longhaul: ownSource(await realpath(folder)) },
  };
  return `${JSON.stringify(own, null, 2)}\n`;
}
