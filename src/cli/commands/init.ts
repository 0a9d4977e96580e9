import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { quote } from '../../base';
import { exitCodes, messageOf, UsageError } from '../exit';
import { printableLine } from '../render/text';
import { shellWord } from '../render/render-parts';
import { statOf } from '../session/agents';
import { ownSource } from '../session/own-source';
import type { CommandContext } from '../session/parse-options';
import type { Terminal } from '../render/terminal';

const template = join(__dirname, '../../../template');

/** npm leaves files with this name out of a package. */
const renamed: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

export function addInitCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('init')
    .summary('write a small project that runs offline')
    .description(
      'Writes a small project: an agent, a tool that pays once, a worker and a test. It needs no API key. It asks nothing and overwrites nothing.',
    )
    .argument('[folder]', 'where to', '.')
    .action(async (folder: string) => {
      await writeProject(folder, terminal);
      finish(exitCodes.done);
    });
}

/** For somebody who has no agents yet. Without a terminal, throws what to type. */
export async function offerProject(terminal: Terminal): Promise<void> {
  const folder = 'my-agent';
  if (terminal.isInteractive) {
    const question = `There are no agents here. Write a small project to ${folder}? [y/N] `;
    if (/^y(es)?$/i.test((await terminal.ask(question)) ?? ''))
      return await writeProject(folder, terminal);
  }
  throw new UsageError(
    [
      'there are no agents here. Begin with one of these:',
      `  npx longhaul init ${folder}    # a small project`,
      '  npx longhaul dev hello.ts     # your file, whose default export is an agent',
    ].join('\n'),
  );
}

type TemplateFile = { readonly source: string; readonly path: string };

/** If something is in the way, throws before it writes anything. */
async function writeProject(named: string, terminal: Terminal): Promise<void> {
  const folder = resolve(named);
  const files = await templateFiles();
  const taken = inTheWay(folder, files);
  if (taken.length > 0)
    throw new UsageError(
      `in the way: ${taken.map(quote).join(', ')}. Nothing was written. Name a new folder: npx longhaul init my-agent`,
    );
  for (const { source, path } of files) {
    const target = join(folder, path);
    const text = await readFile(source, 'utf8');
    try {
      await mkdir(dirname(target), { recursive: true });
      const own = path === 'package.json' ? await manifestOf(text, folder) : text;
      await writeFile(target, own, { flag: 'wx' });
    } catch (error) {
      throw new UsageError(`cannot write ${quote(target)}: ${messageOf(error)}`);
    }
    terminal.print(printableLine(join(named, path)));
  }
  const enter = folder === process.cwd() ? [] : [`cd ${shellWord(named)}`];
  terminal.note(`next: ${[...enter, 'npm install', 'npm test', 'npm run dev'].join(' && ')}`);
}

async function templateFiles(): Promise<readonly TemplateFile[]> {
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      source: join(parentPath, name),
      path: join(relative(template, parentPath), renamed[name] ?? name),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The project's files that exist, and what is no folder where the project has one. */
function inTheWay(folder: string, files: readonly TemplateFile[]): readonly string[] {
  const paths = files.map(({ path }) => join(folder, path));
  const noFolders = [...new Set(paths.map(dirname))].filter(
    (path) => statOf(path)?.isDirectory() === false,
  );
  const existing = paths.filter((path) => statOf(path) !== undefined);
  return [...noFolders, ...existing].map((path) => relative(process.cwd(), path));
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
