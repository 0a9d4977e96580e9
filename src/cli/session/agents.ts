import { loadWorkerRoom } from './load-parts';
import { type Stats, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { didYouMean, isJsonObject, quote } from '../../base';
import { messageOf, UsageError } from '../exit';
import { checkNeeds, collect } from './parse-options';
import { pathToFileURL } from 'node:url';
import { LonghaulError } from '../../protocol';
import { addSpecs, type Registry } from '../../define';
import type { CreateWorkerOptions } from '../../worker';

import { spawnSync } from 'node:child_process';

const checkTimeoutMs = 3_000;

/** Node's errors on loading a module, each with what to do about it. */
const hints: Readonly<Record<string, string>> = {
  ERR_UNKNOWN_FILE_EXTENSION:
    'Node reads TypeScript from version 22.18 on: use that, or write the file as .mjs',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    'Node only strips types: write it without enums, namespaces and parameter properties',
  ERR_MODULE_NOT_FOUND:
    'install the package, or write the whole name of the file, with its extension',
};

const moduleHint = 'Write "type": "module" in package.json, or name the file .mts';

const configNames = ['longhaul.config.ts', 'longhaul.config.js', 'longhaul.config.mjs'];

const configExample =
  "import { defineAgent } from 'longhaul'; export default { runners: [defineAgent({ id: 'assistant', model: 'openai/gpt-6.1-terra' })] };";

/** Help if there are no agents yet. */
const configHint = `write longhaul.config.mjs: ${configExample} Or name a file with --agents, or specs with -f`;

const expected = {
  runners: `an agent, an array of agents, or createWorker's options, as in ${configExample}`,
  tools:
    "an array of tools, or createWorker's options, as in import { defineTool } from 'longhaul'; export default { tools: [defineTool({ … })] };",
};

type SpecFlags = {
  /** Files and folders of specs. */
  readonly file?: readonly string[];
  readonly tools?: string;
  readonly overlay?: readonly string[];
};

export type AgentsFlags = SpecFlags & { readonly agents?: string };

/** Where agents come from: a module, or specs and the module with their code. It is JSON, so that it can go to another process. */
export type AgentsSource =
  | { readonly kind: 'module'; readonly file: string }
  | {
      readonly kind: 'specs';
      readonly paths: readonly string[];
      readonly overlays: readonly string[];
      readonly tools?: string;
    };

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

/** The agents to serve: the named ones, else the folder's configuration, else undefined. */
export function findAgentsSource(folder: string, flags: AgentsFlags): AgentsSource | undefined {
  if (flags.file !== undefined) return specsSource(flags.file, folder, flags);
  checkNeeds(flags, ['tools', 'overlay'], 'specs: name them with -f');
  const file = findAgentsFile(folder, flags.agents);
  return file === undefined ? undefined : { kind: 'module', file };
}

export function requireAgentsSource(folder: string, flags: AgentsFlags): AgentsSource {
  const source = findAgentsSource(folder, flags);
  if (source !== undefined) return source;
  throw new UsageError(`there is no longhaul.config.{ts,js,mjs} here: ${configHint}`);
}

/** A short name for people. */
export function sourceName(source: AgentsSource): string {
  return source.kind === 'module' ? basename(source.file) : source.paths.join(', ');
}

/** The files to watch, even if loading them fails. */
export function sourceFiles(source: AgentsSource): readonly string[] {
  if (source.kind === 'module') return [source.file];
  const { paths, tools } = source;
  return [...paths, ...(tools === undefined ? [] : [tools])].map((path) => resolve(path));
}

/** The file with the agents: the named one, else the folder's configuration, else undefined. */
export function findAgentsFile(folder: string, named?: string): string | undefined {
  if (named === undefined) return configNames.map((name) => join(folder, name)).find(isFile);
  return requireFile('--agents', folder, named);
}

/** Paths of specs stay as given, because messages show them. */
function specsSource(
  paths: readonly string[],
  folder: string,
  { agents, tools, overlay = [] }: AgentsFlags,
): AgentsSource {
  if (agents !== undefined) throw new UsageError('give either --agents or -f, not both');
  for (const path of paths) {
    if (statOf(resolve(folder, path)) !== undefined) continue;
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
  return statOf(path)?.isFile() ?? false;
}

/** Undefined where nothing is, also below something that is not a folder. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

export type LoadedAgents = {
  /** Includes the runners of specs. */
  readonly options: Omit<CreateWorkerOptions, 'specs' | 'overlays'>;
  readonly registry: Registry;
  /** The files of specs. */
  readonly files: readonly string[];
  /** Code that specs name but that is missing. Only with `stubs`. */
  readonly missing: readonly string[];
};

/** Runs the module, reads the specs and checks everything. With `stubs`, code may be missing: some commands only read definitions. */
export async function loadAgents(
  source: AgentsSource,
  { stubs = false }: { readonly stubs?: boolean } = {},
): Promise<LoadedAgents> {
  const { options, files, missing } = addSpecs(await optionsOf(source), { stubs });
  return { options, registry: loadWorkerRoom().workerRegistry(options), files, missing };
}

async function optionsOf(source: AgentsSource): Promise<CreateWorkerOptions> {
  if (source.kind === 'module') return await loadModule(source.file, 'runners');
  const { paths, overlays, tools } = source;
  const code = tools === undefined ? {} : await loadModule(tools, 'tools');
  const changes = [...(code.overlays ?? []), ...overlays];
  return {
    ...code,
    specs: [...[code.specs ?? []].flat(), ...paths],
    ...(changes.length > 0 && { overlays: changes }),
  };
}

/** Takes the default export of a file: the options of `createWorker`, or a list of what `listed` says. */
async function loadModule(file: string, listed: 'runners' | 'tools'): Promise<CreateWorkerOptions> {
  let module: unknown;
  try {
    // The compiler keeps this native `import()`, which loads both kinds of modules and strips types.
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw explainLoadError(error, file);
  }
  const { default: exported } = module as { default?: unknown };
  // A module compiled to CommonJS has its default export one level deeper.
  const isNested = isJsonObject(exported) && '__esModule' in exported && 'default' in exported;
  const value = isNested ? exported['default'] : exported;
  const refusal = (problem: string): LonghaulError =>
    new LonghaulError(
      'SpecError',
      `${basename(file)} ${problem}: its default export is ${expected[listed]}`,
    );
  if (listed === 'runners' && isRunner(value)) return { runners: [value] };
  if (Array.isArray(value)) return { [listed]: value };
  if (value === undefined) throw refusal('has no default export');
  if (!isJsonObject(value)) throw refusal('must export an object by default');
  const { workerOptionNames } = loadWorkerRoom();
  const unknown = Object.keys(value).find((key) => !workerOptionNames.includes(key));
  if (unknown === undefined) return value;
  const meant =
    unknown === 'agents' ? "; did you mean 'runners'?" : didYouMean(unknown, workerOptionNames);
  throw refusal(`has the unknown option ${quote(unknown)}${meant}`);
}

function isRunner(value: unknown): value is NonNullable<CreateWorkerOptions['runners']>[number] {
  return isJsonObject(value) && 'kind' in value && 'spec' in value;
}

/** Explains in one line why a file could not be loaded. */
export function explainLoadError(error: unknown, file: string): LonghaulError {
  const name = basename(file);
  const { code, name: kind, stack = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const message = messageOf(error);
  const hint = message.endsWith('outside a module') ? moduleHint : hints[String(code)];
  const place = placeIn(String(stack), name) ?? (kind === 'SyntaxError' ? checkSyntax(file) : name);
  const explained = hint === undefined ? message : `${message}. ${hint}`;
  return new LonghaulError('SpecError', `cannot load ${place}: ${explained}`, { cause: error });
}

/** `agents.mjs:12`, if the text names a line. */
function placeIn(text: string, name: string): string | undefined {
  const at = text.indexOf(`${name}:`);
  const line = at < 0 ? undefined : /^:(\d+)/.exec(text.slice(at + name.length))?.[1];
  return line === undefined ? undefined : `${name}:${line}`;
}

/** Node tells the line of a syntax error only with `--check`. */
function checkSyntax(file: string): string {
  const { stderr } = spawnSync(process.execPath, ['--check', file], {
    encoding: 'utf8',
    timeout: checkTimeoutMs,
  });
  return placeIn(stderr, basename(file)) ?? basename(file);
}
