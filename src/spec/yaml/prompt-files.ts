import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { quote } from '../../base/problem';
import { fromFile, type SpecFile } from './spec-files';

export type FoundPrompt =
  { readonly ok: true; readonly file: SpecFile } | { readonly ok: false; readonly message: string };

const endings = ['', '.yaml', '.yml', '.json'];

/** A prompt file by its path from the folder of the spec. Nothing outside that folder is read, by whatever name or link. */
export function findPromptFile(path: string, folder: string | undefined): FoundPrompt {
  const refused = pathMessage(path, folder);
  if (refused !== undefined || folder === undefined) return failed(refused ?? '');
  const found = endings
    .map((ending) => join(folder, path + ending))
    .filter((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
  const [file, other] = found;
  if (file === undefined) {
    return failed(
      `is no file in ${quote(folder)}: looked for ${quote(path)}, also with .yaml, .yml and .json`,
    );
  }
  if (other !== undefined) return failed(`may be ${quote(file)} or ${quote(other)}: say which`);
  // What is read is what was looked at: a link that changes meanwhile leads nowhere else.
  const real = realpathSync(file);
  const way = relative(realpathSync(folder), real);
  if (way.startsWith(`..${sep}`) || isAbsolute(way)) {
    return failed(`leads out of the folder of the spec, by a link: ${quote(path)}`);
  }
  return { ok: true, file: { ...fromFile(real, folder), name: file } };
}

function pathMessage(path: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return 'names a file, but this spec is text and has no folder';
  if (path.includes('\0')) return 'must not hold NUL characters';
  if (isAbsolute(path) || /[\\:]/.test(path)) {
    return `must be a path from the folder of the spec, with /, not ${quote(path)}`;
  }
  return path.split('/').includes('..')
    ? `must stay within the folder of the spec: '..' is not allowed`
    : undefined;
}

function failed(message: string): FoundPrompt {
  return { ok: false, message };
}
