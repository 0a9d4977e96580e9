import { LonghaulError } from '../../protocol/errors';
import { askUserTool } from '../../protocol/names';
import type { CriterionSpec, ToolChoice } from '../../protocol/agent-run';
import { type JsonSchema, plainJson } from '../../base';
import type { AskUser } from '../../protocol/spec';

/** The options in the form that the state keeps. */
export type StoredOptions = {
  /** Limit of model calls. The count is exact and includes retries and re-prompts. Default 1. */
  readonly maxTurns?: number;
  /** Rounds of tool calls. Default: no limit. */
  readonly maxIterations?: number;
  /** Retries of invalid tool calls in the whole run. Default 0. */
  readonly maxInvalidToolCallRetries?: number;
  /** Tool steps in a row that may hold a malformed call. Default: no limit. */
  readonly maxConsecutiveMalformedToolCalls?: number;
  /** Absent: the machine asks. */
  readonly onInvalidToolCall?: 'fail' | 'ignore';
  readonly toolChoice?: ToolChoice;
  /** Only `AgentRun` checks outputs. */
  readonly output?: OutputOptions;
  readonly criteria?: readonly CriterionSpec[];
  /** Default false. A text that starts with the marker pauses the run, except with 'never'. */
  readonly askUser?: AskUser;
  /** Names of the tools that a person must approve calls of. */
  readonly approvals?: readonly string[];
};

/** A call of this tool ends the run with its arguments as the output. */
export type OutputOptions = {
  readonly tool: string;
  readonly schema?: JsonSchema;
  readonly retries?: number;
};

export type MachineOptions = Omit<StoredOptions, 'output'>;

/** Every known option. `fromJSON` refuses any other stored option by its name. */
export const machineOptionNames = [
  'maxTurns',
  'maxIterations',
  'maxInvalidToolCallRetries',
  'maxConsecutiveMalformedToolCalls',
  'onInvalidToolCall',
  'toolChoice',
  'output',
  'criteria',
  'askUser',
  'approvals',
] as const satisfies readonly (keyof StoredOptions)[];

const counts = [
  'maxTurns',
  'maxIterations',
  'maxInvalidToolCallRetries',
  'maxConsecutiveMalformedToolCalls',
] as const;

export function storeOptions(options: StoredOptions): StoredOptions {
  for (const name of counts) checkCount(name, options[name]);
  return plainJson(options);
}

export function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return;
  throw new LonghaulError(
    'ProtocolError',
    `The option ${name} is ${String(value)}; give a whole number from 0, or leave it out.`,
  );
}

/** The names that a turn may call. The output tool and `ask_user` are always among them, except if the choice is `none`. */
export function allowedNames(options: StoredOptions, tools: readonly string[]): string[] {
  const choice = options.toolChoice ?? 'auto';
  if (choice === 'none') return [];
  const own = [
    ...(options.output ? [options.output.tool] : []),
    ...(options.askUser === 'tool' ? [askUserTool.name] : []),
  ];
  return sortedNames([...(typeof choice === 'object' ? choice.only : tools), ...own]);
}

export const sortedNames = (names: readonly string[]): string[] => [...new Set(names)].sort();
