import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../../base';
import { messageOf, UsageError } from '../exit';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
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

/** Adds options, of which a command line may have one at most. `texts`: the help of each. */
export function addChoices(command: Command, texts: Readonly<Record<string, string>>): Command {
  const options = Object.entries(texts).map(([flags, text]) => new Option(flags, text));
  for (const option of options) {
    const others = options.filter((other) => other !== option);
    command.addOption(option.conflicts(others.map((other) => other.attributeName())));
  }
  return command;
}

/** Refuses flags that mean nothing without another. */
export function checkNeeds<Flags extends object>(
  flags: Flags,
  names: readonly (keyof Flags & string)[],
  needed: string,
): void {
  const lone = names.find((name) => flags[name] !== undefined);
  if (lone !== undefined) throw new UsageError(`--${lone} needs ${needed}`);
}

/** What every command gets: the terminal, and a place for its exit code. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly finish: (exitCode: number) => void;
};

export type AddCommand = (program: Command, context: CommandContext) => void;
