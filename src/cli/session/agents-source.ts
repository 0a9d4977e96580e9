import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { quote } from '../../base/problem';
import { UsageError } from '../cli-error';
import { collect } from './parse-options';

export type SpecFlags = {
  /** Files and folders of specs. */
  readonly file?: readonly string[];
  readonly tools?: string;
  readonly overlay?: readonly string[];
};

export type AgentsFlags = SpecFlags & { readonly agents?: string };

/** Where agents come from: a module, or specs and the module with their code. Plain data, so that another process can be told. */
export type AgentsSource =
  | { readonly kind: 'module'; readonly file: string }
  | {
      readonly kind: 'specs';
      readonly paths: readonly string[];
      readonly overlays: readonly string[];
      readonly tools?: string;
    };

const configNames = ['longhaul.config.ts', 'longhaul.config.js', 'longhaul.config.mjs'];

export const configExample =
  "import { defineAgent } from 'longhaul'; export default { runners: [defineAgent({ id: 'assistant', model: 'openai/gpt-6.1-terra' })] };";

/** What to write where there are no agents yet. */
const configHint = `write longhaul.config.mjs: ${configExample} Or name a file with --agents, or specs with -f`;

export function addSpecFlags(command: Command): Command {
  return command
    .option(
      '-f, --file <path>',
      'agents and workflows in YAML or JSON: a file or a folder; may be repeated',
      collect,
    )
    .option('--tools <file>', "module with the code that the specs name: createWorker's options")
    .option(
      '--overlay <name>',
      'changes of the specs for an environment; may be repeated',
      collect,
    );
}

/** The agents to serve: those that are named, else the configuration of the folder, else nothing. */
export function findAgentsSource(folder: string, flags: AgentsFlags): AgentsSource | undefined {
  if (flags.file !== undefined) return specsSource(flags.file, folder, flags);
  for (const name of ['tools', 'overlay'] as const) {
    if (flags[name] === undefined) continue;
    throw new UsageError(`--${name} is for specs: name them with -f`);
  }
  const file = findAgentsFile(folder, flags.agents);
  return file === undefined ? undefined : { kind: 'module', file };
}

export function requireAgentsSource(folder: string, flags: AgentsFlags): AgentsSource {
  const source = findAgentsSource(folder, flags);
  if (source !== undefined) return source;
  throw new UsageError(`there is no longhaul.config.{ts,js,mjs} here: ${configHint}`);
}

/** What a person calls it. */
export function sourceName(source: AgentsSource): string {
  return source.kind === 'module' ? basename(source.file) : source.paths.join(', ');
}

/** What is there before anything is loaded: to be watched even if loading fails. */
export function sourceFiles(source: AgentsSource): readonly string[] {
  if (source.kind === 'module') return [source.file];
  const { paths, tools } = source;
  return [...paths, ...(tools === undefined ? [] : [tools])].map((path) => resolve(path));
}

/** The file with the agents: the one named, else the configuration of the folder, else nothing. */
export function findAgentsFile(folder: string, named?: string): string | undefined {
  if (named === undefined) return configNames.map((name) => join(folder, name)).find(isFile);
  return requireFile('--agents', folder, named);
}

/** Paths of specs stay as they are given: messages name them so. */
function specsSource(
  paths: readonly string[],
  folder: string,
  { agents, tools, overlay = [] }: AgentsFlags,
): AgentsSource {
  if (agents !== undefined) throw new UsageError('give either --agents or -f, not both');
  for (const path of paths) {
    if (statSync(resolve(folder, path), { throwIfNoEntry: false }) !== undefined) continue;
    throw new UsageError(`-f: there is no file or folder ${quote(path)}`);
  }
  const code = tools === undefined ? {} : { tools: requireFile('--tools', folder, tools) };
  return { kind: 'specs', paths, overlays: overlay, ...code };
}

function requireFile(flag: string, folder: string, named: string): string {
  const file = resolve(folder, named);
  if (isFile(file)) return file;
  throw new UsageError(`${flag}: there is no file ${quote(named)}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
