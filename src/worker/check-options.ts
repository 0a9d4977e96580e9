import { z } from 'zod';
import { parseOptions } from '../define/options';
import { aFunction, count, made, nonBlank } from '../define/schema/parts';
import type { CreateWorkerOptions, LonghaulOptions } from './options';

/** Checked by whoever takes it. */
const elsewhere = z.unknown().optional();
const name = nonBlank('a text').exactOptional();

const ofLonghaul = {
  application: name,
  runners: elsewhere,
  specs: elsewhere,
  overlays: elsewhere,
  tools: elsewhere,
  criteria: elsewhere,
  callbacks: elsewhere,
  mcpServers: elsewhere,
  inlineSpecs: made(
    (value) => typeof value === 'boolean' || typeof value === 'function',
    'true, false or a function (spec, info) => boolean',
  ).exactOptional(),
  providers: elsewhere,
  prices: elsewhere,
  stores: elsewhere,
  logCacheBytes: count(1).exactOptional(),
  onDelta: aFunction().exactOptional(),
  encryption: elsewhere,
  clearFailures: elsewhere,
} satisfies Record<keyof LonghaulOptions, z.ZodType>;

const ofWorker = {
  ...ofLonghaul,
  connection: elsewhere,
  address: name,
  profile: name,
  namespace: name,
  taskQueue: name,
  dataConverter: elsewhere,
  workerOptions: made(
    (value) => Object(value) === value,
    "an object of options of Temporal's worker",
  ).exactOptional(),
} satisfies Record<keyof CreateWorkerOptions, z.ZodType>;

export const workerOptionNames: readonly string[] = Object.keys(ofWorker);

/** What the plugin does not hand on to those who check it themselves. */
export function checkLonghaulOptions(options: unknown): void {
  parseOptions(z.strictObject(ofLonghaul), options, {
    subject: 'LonghaulPlugin',
    code: workerOptionNames,
  });
}

/** Names of options, and the values that Temporal's worker would refuse in its own words. */
export function checkWorkerOptions(options: unknown): void {
  parseOptions(z.strictObject(ofWorker), options, {
    subject: 'createWorker',
    code: workerOptionNames,
  });
}
