// Pure: reads the Dockerfile; no Docker.
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json';
import { commandProblems } from './cli/command-problems';

const root = resolve(__dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

type Instruction = { readonly name: string; readonly text: string; readonly stage: number };

const instructions: readonly Instruction[] = read('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .reduce<Instruction[]>((list, line) => {
    const [name = '', text = ''] = [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)];
    const stage = (list.at(-1)?.stage ?? -1) + (name === 'FROM' ? 1 : 0);
    return [...list, { name, text, stage }];
  }, []);
const named = (name: string): readonly Instruction[] =>
  instructions.filter((instruction) => instruction.name === name);
const sourcesOf = ({ text }: Instruction): readonly string[] =>
  text
    .split(' ')
    .filter((word) => !word.startsWith('--'))
    .slice(0, -1);
const copies = named('COPY').filter(({ text }) => !text.startsWith('--from='));
const taken = named('COPY').filter(({ text }) => text.startsWith('--from=build '));

describe('Dockerfile', () => {
  it('builds in one stage and runs in another, on a Node the package supports', () => {
    const images = named('FROM').map(({ text }) => text.split(' ')[0]);
    expect(images).toEqual([expect.stringMatching(/^node:24-\w+-slim$/), images[0]]);
  });

  it('copies what there is, and what .dockerignore lets through', () => {
    const [everything, ...exceptions] = read('.dockerignore').trim().split('\n');
    const sources = copies.flatMap(sourcesOf);
    expect(everything).toBe('*');
    expect(exceptions.toSorted()).toEqual(
      sources.map((source) => `!${source.replace('./', '')}`).toSorted(),
    );
    for (const source of sources) expect(statSync(join(root, source)).size).toBeGreaterThan(0);
  });

  it('installs what the lockfile says, and leaves out what only building needs', () => {
    const runs = named('RUN').flatMap(({ text, stage }) => (stage === 0 ? text.split(' && ') : []));
    expect(runs[0]).toBe('npm ci');
    expect(runs.slice(-2)).toEqual(['node scripts/keep-peers.mjs', 'npm prune --omit=dev']);
    const scripts = runs.flatMap((run) => /^npm run (\S+)$/.exec(run)?.[1] ?? []);
    expect(scripts).toEqual(['build']);
    expect(packageJson.scripts).toHaveProperty(scripts);
  });

  it('takes the package and its dependencies along', () => {
    const paths = taken.flatMap(sourcesOf).map((path) => path.replace('/app/', ''));
    expect(paths.toSorted()).toEqual(['dist', 'node_modules', 'package.json', 'template']);
    expect(packageJson.files).toEqual(expect.arrayContaining(['dist', 'template']));
  });

  it('has the command that it runs, on the path', () => {
    const bin = join('/app', packageJson.bin.longhaul);
    const links = named('RUN')
      .filter(({ stage }) => stage === 1)
      .map(({ text }) => text);
    expect(links).toContainEqual(expect.stringContaining(`ln -s ${bin} /usr/local/bin/longhaul`));
    const [command] = named('CMD');
    expect(commandProblems(JSON.parse(command?.text ?? '[]') as string[])).toEqual([]);
  });

  it('runs as another user than root', () => {
    const [user] = named('USER');
    expect([user?.text, user?.stage]).toEqual(['node', 1]);
  });
});
