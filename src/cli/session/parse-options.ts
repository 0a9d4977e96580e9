import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import { messageOf, UsageError } from '../exit';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { WhoseFilter } from '../../client';
import type { Terminal } from '../render/terminal';

/** JSON from the command line, or from a file with `@file`. */
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

/** For options that a person may give several times. */
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

/** The argument itself, or stdin if it is `-`. */
export async function readInput(argument: string): Promise<string> {
  return argument === '-' ? (await text(process.stdin)).trimEnd() : argument;
}

export type WhoseFlags = {
  readonly agent?: string;
  readonly user?: string;
  readonly app?: string;
  readonly tenant?: string;
};

export function addWhoseFlags(command: Command): Command {
  return command
    .option('--agent <id>', 'only of this agent')
    .option('--user <id>', 'only of this user, as `key.userId` names it')
    .option('--app <name>', 'only of this application, as `key.appName` names it')
    .option('--tenant <name>', 'only of this tenant, as `key.tenant` names it');
}

/** Keeps an empty flag as a filter, which the client refuses: an unset shell variable must not list everybody's runs. */
export function whoseOf({ agent, user, app, tenant }: WhoseFlags): WhoseFilter {
  const key = {
    ...(user !== undefined && { userId: user }),
    ...(app !== undefined && { appName: app }),
    ...(tenant !== undefined && { tenant }),
  };
  return {
    ...(agent !== undefined && { agent }),
    ...(Object.keys(key).length > 0 && { key }),
  };
}

/** What every command gets: the terminal, and a place for its exit code. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly finish: (exitCode: number) => void;
};

export type AddCommand = (program: Command, context: CommandContext) => void;
