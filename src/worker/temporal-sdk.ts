// Checks which copies of Temporal's SDK a worker and its bundle get. The SDK keeps state in private fields and module variables, so with
// two copies or two versions every run fails after its model call.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { LonghaulError } from '../protocol/errors';
import { newestMinor, testedMinors } from '../protocol/peers';

const names = ['worker', 'workflow', 'activity', 'common'].map((name) => `@temporalio/${name}`);

/** A package that one place of the project finds. */
export type SdkCopy = { readonly name: string; readonly version: string; readonly folder: string };

/** The copies that this package, Temporal's worker and a workflow file find. */
export function sdkCopies(workflowsPath?: string): readonly SdkCopy[] {
  const worker = copyFrom(__filename, '@temporalio/worker');
  const places = [__filename, worker && `${worker.folder}/package.json`, workflowsPath];
  return places
    .filter((place) => place !== undefined)
    .flatMap((place) => names.flatMap((name) => copyFrom(place, name) ?? []));
}

/** Throws `SdkMismatch` for two copies of a package, for two versions, and for a minor version that is not tested. */
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
  const tested: readonly string[] = testedMinors;
  const untested = copies.find(({ version }) => !tested.includes(minorOf(version)));
  return (
    untested &&
    `${untested.name} ${placeOf(untested)} is not tested with Longhaul. Tested minor versions: ${testedMinors.join(', ')}. ${remedy}`
  );
}

/** Whether the worker has the minor version that the prebuilt bundle was built with. */
export function fitsPrebuiltBundle(copies: readonly SdkCopy[] = sdkCopies()): boolean {
  return copies.every(({ version }) => minorOf(version) === newestMinor);
}

const remedy = 'Install one tested version of all @temporalio packages of the project.';

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
