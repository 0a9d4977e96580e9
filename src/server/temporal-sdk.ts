// Checks which copies of Temporal's SDK a worker and its bundle get, and finds the parts of it that its documentation does not promise. The
// SDK keeps state in private fields and module variables, so with two copies or two versions every run fails after its model call.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type * as Internals from '@temporalio/common/lib/internal-non-workflow';
import { LonghaulError, newestMinor, testedMinors } from '../protocol';

const names = ['worker', 'workflow', 'activity', 'common'].map((name) => `@temporalio/${name}`);

/** A package, as one place of the project finds it. */
export type SdkCopy = { readonly name: string; readonly version: string; readonly folder: string };

/** The copies that this package, Temporal's worker and a workflow file find. */
export function sdkCopies(workflowsPath?: string): readonly SdkCopy[] {
  const worker = copyFrom(__filename, '@temporalio/worker');
  const places = [__filename, worker && `${worker.folder}/package.json`, workflowsPath];
  return places
    .filter((place) => place !== undefined)
    .flatMap((place) => names.flatMap((name) => copyFrom(place, name) ?? []));
}

/** Throws `SdkMismatch` for a client that is too old or of another major. Two copies do no harm to a client. */
export function checkClientSdk(): void {
  const client = copyFrom(__filename, '@temporalio/client');
  if (client) checkSdk([client]);
}

/** Throws `SdkMismatch` for two copies of a package, for two versions, and for a version that is too old or of another major. */
export function checkSdk(copies = sdkCopies()): void {
  const problem = sdkProblem(copies);
  if (problem !== undefined) throw new LonghaulError('SdkMismatch', problem);
}

export function sdkProblem(copies: readonly SdkCopy[]): string | undefined {
  for (const copy of copies) {
    const other = copies.find(({ name, version, folder }) =>
      name === copy.name ? folder !== copy.folder : version !== copy.version,
    );
    if (other)
      return `Temporal's SDK is there twice: ${placeOf(copy)}, and ${placeOf(other)}. ${remedy}`;
  }
  const unfit = copies.find(({ version }) => !(minorOf(version) >= minorOf(testedMinors[0])));
  return (
    unfit &&
    `Longhaul does not run with ${placeOf(unfit)}. It needs version ${testedMinors[0]} or later, below 2. ${remedy}`
  );
}

/** The text to log if Temporal's SDK is newer than all tested versions. */
export function untestedSdk(copies: readonly SdkCopy[]): string | undefined {
  const newer = copies.find(({ version }) => minorOf(version) > minorOf(newestMinor));
  return (
    newer &&
    `Temporal's SDK ${newer.version} is newer than ${newestMinor}, the newest that this Longhaul is tested with`
  );
}

/** A part of the SDK that a newer minor version may take away. Throws `SdkMismatch` if it is not there. */
export function sdkPart<Name extends keyof typeof Internals>(
  name: Name,
  load: (path: string) => unknown = require,
): (typeof Internals)[Name] {
  try {
    const parts = load('@temporalio/common/lib/internal-non-workflow') as Partial<typeof Internals>;
    const part = parts[name];
    if (part !== undefined) return part;
  } catch {
    // It is no longer there either.
  }
  throw new LonghaulError(
    'SdkMismatch',
    `@temporalio/common no longer has ${name}, which Longhaul uses. Install ${newestMinor} of all @temporalio packages, or a newer Longhaul.`,
  );
}

/** Whether the worker has the minor version that the prebuilt bundle was built with. */
export function fitsPrebuiltBundle(copies: readonly SdkCopy[] = sdkCopies()): boolean {
  return copies.some(({ version }) => minorOf(version) === minorOf(newestMinor));
}

const remedy = 'Install one such version of all @temporalio packages of the project.';

const placeOf = ({ name, version, folder }: SdkCopy): string => `${name} ${version} in ${folder}`;

/** `24` of `1.24.0`. No number for another major version. */
const minorOf = (version: string): number => Number(/^1\.(\d+)/.exec(version)?.[1]);

function copyFrom(place: string, name: string): SdkCopy | undefined {
  try {
    const file = createRequire(place).resolve(`${name}/package.json`);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
    return { name, version, folder: dirname(file) };
  } catch {
    return undefined;
  }
}
