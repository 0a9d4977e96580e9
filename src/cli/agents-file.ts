import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SpecError } from '../protocol/error-classes';
import type { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../protocol/json';
import { didYouMean } from '../spec/nearest';
import { quote } from '../spec/problem';
import { createRegistry, type Registry } from '../spec/registry';
import type { CreateWorkerOptions } from '../worker';
import { UsageError } from './cli-error';
import { explainLoadError } from './explain-load-error';

export type LoadedAgents = {
  readonly file: string;
  readonly options: CreateWorkerOptions;
  readonly registry: Registry;
};

const configNames = ['longhaul.config.ts', 'longhaul.config.js', 'longhaul.config.mjs'];

/** Checked against the worker's own type: a new option must be added here, too. */
const optionNames: Readonly<Record<keyof CreateWorkerOptions, true>> = {
  runners: true,
  specs: true,
  overlays: true,
  tools: true,
  criteria: true,
  callbacks: true,
  mcpServers: true,
  providers: true,
  prices: true,
  stores: true,
  logReplicaBytes: true,
  onDelta: true,
  connection: true,
  address: true,
  profile: true,
  namespace: true,
  taskQueue: true,
  dataConverter: true,
  workerOptions: true,
};

const example =
  "import { defineAgent } from 'longhaul'; export default { runners: [defineAgent({ id: 'assistant', model: 'openai/gpt-5-mini' })] };";

/** What to write where there are no agents yet. */
const configHint = `write longhaul.config.mjs: ${example} Or name a file with --agents`;

/** The file with the agents: the one named, else the configuration of the folder, else nothing. */
export function findAgentsFile(folder: string, named?: string): string | undefined {
  if (named === undefined) return configNames.map((name) => join(folder, name)).find(isFile);
  const file = resolve(folder, named);
  if (isFile(file)) return file;
  throw new UsageError(`--agents: there is no file ${quote(named)}`);
}

export function requireAgentsFile(folder: string, named?: string): string {
  const file = findAgentsFile(folder, named);
  if (file !== undefined) return file;
  throw new UsageError(`there is no longhaul.config.{ts,js,mjs} here: ${configHint}`);
}

/** Runs the file and takes its default export: an agent, an array of agents, or `createWorker`'s options. */
export async function loadAgents(file: string): Promise<LoadedAgents> {
  const options = toOptions(defaultExport(await importFile(file)), basename(file));
  return { file, options, registry: createRegistry(options) };
}

/** Compiled, this stays the native `import()`, which loads both kinds of modules and strips types. */
async function importFile(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    throw explainLoadError(error, file);
  }
}

/** A compiled module that a CommonJS file stands for has its default export one level down. */
function defaultExport(module: unknown): unknown {
  const { default: value } = module as { default?: unknown };
  const isNested = isJsonObject(value) && '__esModule' in value && 'default' in value;
  return isNested ? value['default'] : value;
}

function toOptions(value: unknown, name: string): CreateWorkerOptions {
  if (isRunner(value)) return { runners: [value] };
  if (Array.isArray(value)) {
    return { runners: value as NonNullable<CreateWorkerOptions['runners']> };
  }
  if (value === undefined) throw refusal(name, 'has no default export');
  if (!isJsonObject(value)) throw refusal(name, 'must export an object by default');
  const known = Object.keys(optionNames);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return value;
  const meant = unknown === 'agents' ? "; did you mean 'runners'?" : didYouMean(unknown, known);
  throw refusal(name, `has the unknown option ${quote(unknown)}${meant}`);
}

type Runner = NonNullable<CreateWorkerOptions['runners']>[number];

function isRunner(value: unknown): value is Runner {
  return isJsonObject(value) && 'kind' in value && 'spec' in value;
}

function refusal(name: string, problem: string): LonghaulError {
  const expected = "its default export is an agent, an array of agents, or createWorker's options";
  return new SpecError(`${name} ${problem}: ${expected}, as in ${example}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
