import { OptionReader } from '../spec/option-reader';
import { specError } from '../define/problems/problem';
import type { CreateWorkerOptions, LonghaulOptions } from './options';

/** Checked against the worker's own types: a new option must be added here, too. */
const ofLonghaul: Readonly<Record<keyof LonghaulOptions, true>> = {
  application: true,
  runners: true,
  specs: true,
  overlays: true,
  tools: true,
  criteria: true,
  callbacks: true,
  mcpServers: true,
  inlineSpecs: true,
  providers: true,
  prices: true,
  stores: true,
  logReplicaBytes: true,
  onDelta: true,
  encryption: true,
  clearFailures: true,
};

const ofWorker: Readonly<Record<keyof CreateWorkerOptions, true>> = {
  ...ofLonghaul,
  connection: true,
  address: true,
  profile: true,
  namespace: true,
  taskQueue: true,
  dataConverter: true,
  workerOptions: true,
};

const longhaulOptionNames: readonly string[] = Object.keys(ofLonghaul);
export const workerOptionNames: readonly string[] = Object.keys(ofWorker);

/** What the plugin does not hand on to those who check it themselves. */
export function checkLonghaulOptions(options: unknown): void {
  const reader = new OptionReader(options, longhaulOptionNames);
  reader.text('application', { rule: 'a text' });
  reader.integer('logReplicaBytes', { min: 1 });
  reader.callback('onDelta');
  checkInlineSpecs(reader);
  refuse('LonghaulPlugin', reader);
}

/** Names of options, and the values that Temporal's worker would refuse in its own words. */
export function checkWorkerOptions(options: unknown): void {
  const reader = new OptionReader(options, workerOptionNames);
  for (const name of ['application', 'address', 'profile', 'namespace', 'taskQueue'])
    reader.text(name, { rule: 'a text' });
  reader.integer('logReplicaBytes', { min: 1 });
  reader.callback('onDelta');
  checkInlineSpecs(reader);
  const { workerOptions } = Object(options) as { readonly workerOptions?: unknown };
  if (workerOptions !== undefined && Object(workerOptions) !== workerOptions)
    reader.refuse('workerOptions', "must be an object of options of Temporal's worker");
  refuse('createWorker', reader);
}

function checkInlineSpecs(reader: OptionReader): void {
  const value = reader.get('inlineSpecs');
  if (value === undefined || typeof value === 'boolean' || typeof value === 'function') return;
  reader.refuse('inlineSpecs', 'must be true, false or a function (spec, info) => boolean');
}

function refuse(subject: string, { problems }: OptionReader): void {
  if (problems.length > 0) throw specError(subject, problems);
}
