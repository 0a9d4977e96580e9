// Checks which copies of Temporal's SDK a worker and its bundle get. The SDK keeps state in private fields and module variables, so with
// two copies or two versions every run fails after its model call.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
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

/** Throws `SdkMismatch` for two copies of a package, for two versions, and for a version that is too old or of another major. */
export function checkSdk(copies: readonly SdkCopy[]): void {
  const problem = sdkProblem(copies);
  if (problem !== undefined) throw new LonghaulError('SdkMismatch', problem);
}

export function sdkProblem(copies: readonly SdkCopy[]): string | undefined {
  const [first] = copies;
  for (const copy of copies) {
    const other = copies.find(({ name, folder }) => name === copy.name && folder !== copy.folder);
    if (other !== undefined)
      return `There are two copies of ${copy.name}: ${placeOf(copy)} and ${placeOf(other)}. ${remedy}`;
    if (first !== undefined && copy.version !== first.version)
      return `Temporal's packages differ in version: ${first.name} ${placeOf(first)} and ${copy.name} ${placeOf(copy)}. ${remedy}`;
  }
  const unfit = copies.find(({ version }) => !isSupported(version));
  return (
    unfit &&
    `Longhaul does not run with ${unfit.name} ${placeOf(unfit)}. It needs version ${testedMinors[0]} or later, below 2. ${remedy}`
  );
}

/** The text to log if Temporal's SDK is newer than all tested versions. */
export function untestedSdk(copies: readonly SdkCopy[] = sdkCopies()): string | undefined {
  const newer = copies.find(({ version }) => isAfter(minorOf(version), newestMinor));
  return (
    newer &&
    `Temporal's SDK ${newer.version} is newer than ${newestMinor}, the newest that this Longhaul is tested with`
  );
}

function isSupported(version: string): boolean {
  const minor = minorOf(version);
  return /^1\.\d+$/.test(minor) && !isAfter(testedMinors[0], minor);
}

/** Compares two minors such as `1.24`, of one major version. */
function isAfter(minor: string, other: string): boolean {
  return Number(minor.split('.')[1]) > Number(other.split('.')[1]);
}

/** Whether the worker has the minor version that the prebuilt bundle was built with. */
export function fitsPrebuiltBundle(copies: readonly SdkCopy[] = sdkCopies()): boolean {
  return copies.every(({ version }) => minorOf(version) === newestMinor);
}

const remedy = 'Install one such version of all @temporalio packages of the project.';

const placeOf = ({ version, folder }: SdkCopy): string => `${version} in ${folder}`;

const minorOf = (version: string): string => version.split('.', 2).join('.');

function copyFrom(place: string, name: string): SdkCopy | undefined {
  try {
    const file = createRequire(place).resolve(`${name}/package.json`);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
    return { name, version, folder: dirname(file) };
  } catch {
    return undefined;
  }
}
