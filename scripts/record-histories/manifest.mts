// What the recorded histories were recorded of: a hash over the code whose change could break a running workflow.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const guardedFolders = ['base', 'protocol', 'core', 'workflows'];
const manifestPath = 'test/fixtures/histories/manifest.json';

export type Manifest = {
  /** Of the code at the last recording. */
  readonly hash: string;
  /** Later states of the code that do the same, and who says so why. */
  readonly neutral: readonly { readonly hash: string; readonly reason: string }[];
};

/** Over names and contents, comments and white space included; line ends as in the repository. */
export function guardedHash(project: string): string {
  const files = guardedFolders.flatMap((folder) =>
    globSync(`src/${folder}/**/*.ts`, { cwd: project }),
  );
  const hash = createHash('sha256');
  for (const file of files.map((path) => path.split(sep).join('/')).sort()) {
    const text = readFileSync(join(project, file), 'utf8').replaceAll('\r\n', '\n');
    hash.update(`${file}\0${text}\0`);
  }
  return hash.digest('hex');
}

export function readManifest(project: string): Manifest {
  return JSON.parse(readFileSync(join(project, manifestPath), 'utf8')) as Manifest;
}

export function writeManifest(project: string, manifest: Manifest): void {
  writeFileSync(join(project, manifestPath), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Whether the histories are of this code, or of code that somebody said does the same. */
export function covers({ hash, neutral }: Manifest, current: string): boolean {
  return [hash, ...neutral.map((mark) => mark.hash)].includes(current);
}
