import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import { UsageError } from '../cli-error';
import { messageOf } from '../error-message';

/** JSON given on the command line, or in a file as `@file`. */
function parseJson(option: string, text: string): Json {
  const source = text.startsWith('@') ? readText(option, text.slice(1)) : text;
  try {
    return JSON.parse(source) as Json;
  } catch (error) {
    throw new UsageError(`${option} is not JSON: ${messageOf(error)}`);
  }
}

export function parseJsonObject(option: string, text: string): JsonObject {
  const value = parseJson(option, text);
  if (isJsonObject(value)) return value;
  throw new UsageError(`${option} must be a JSON object`);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`'${text}' is not a port: give a number from 1 to 65535`);
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`'${text}' is not a number of lines: give a whole number from 1 on`);
}

/** For options that may be given several times. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new UsageError(`${option}: cannot read ${file}: ${messageOf(error)}`);
  }
}
