import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { SpecError } from '../../protocol/error-classes';
import type { LonghaulError } from '../../protocol/errors';
import { messageOf } from '../error-message';

const checkTimeoutMs = 3_000;

/** Node's errors on loading a module, and what to do about each. */
const hints: Readonly<Record<string, string>> = {
  ERR_UNKNOWN_FILE_EXTENSION:
    'Node reads TypeScript from version 22.18 on: use that, or write the file as .mjs',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    'Node only strips types: write it without enums, namespaces and parameter properties',
  ERR_MODULE_NOT_FOUND:
    'install the package, or write the whole name of the file, with its extension',
};

/** Why a file with agents could not be loaded, in one line that names it. */
export function explainLoadError(error: unknown, file: string): LonghaulError {
  const name = basename(file);
  const { code } = (error ?? {}) as { code?: unknown };
  const hint = typeof code === 'string' ? hints[code] : undefined;
  const place = placeIn(stackOf(error), name) ?? (isSyntaxError(error) ? checkSyntax(file) : name);
  const message = messageOf(error);
  const explained = hint === undefined ? message : `${message}. ${hint}`;
  return new SpecError(`cannot load ${place}: ${explained}`, { cause: error });
}

/** `agents.mjs:12`, where a text tells the line. */
function placeIn(text: string, name: string): string | undefined {
  const at = text.indexOf(`${name}:`);
  const line = at < 0 ? undefined : /^:(\d+)/.exec(text.slice(at + name.length))?.[1];
  return line === undefined ? undefined : `${name}:${line}`;
}

/** Node keeps the place of a syntax error to itself, but for a check of the file. */
function checkSyntax(file: string): string {
  const { stderr } = spawnSync(process.execPath, ['--check', file], {
    encoding: 'utf8',
    timeout: checkTimeoutMs,
  });
  return placeIn(stderr, basename(file)) ?? basename(file);
}

function isSyntaxError(error: unknown): boolean {
  return (error as Partial<Error> | undefined)?.name === 'SyntaxError';
}

function stackOf(error: unknown): string {
  return String((error as Partial<Error> | undefined)?.stack ?? '');
}
