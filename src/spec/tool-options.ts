import { defined } from '../base/defined';
import { limits } from '../protocol/limits';
import type { RetrySpec, ToolSpec } from '../protocol/spec';
import type { Duration } from '../base/duration';
import { sessionKeyProblems, toolNamePattern, toolNameRule } from './names';
import { OptionReader } from './option-reader';
import { describeValue, type Problem } from './problem';

/** How a failed call is tried again; Temporal's own terms. */
export type RetryOptions = {
  readonly maximumAttempts?: number;
  readonly initialInterval?: Duration;
  readonly backoffCoefficient?: number;
  readonly maximumInterval?: Duration;
};

/** The options of a tool that say nothing of its arguments. */
export type ToolOptionsBase = {
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** `once`: a call whose outcome is unknown is reported, never run again. Default `idempotent`. */
  readonly effect?: 'read' | 'idempotent' | 'once';
  /** `return` shows the model the error, `fail` ends the run. Default `return`. */
  readonly onError?: 'return' | 'fail';
  /** Of one attempt. Default 2 minutes. */
  readonly timeout?: Duration;
  readonly retry?: RetryOptions;
  /** Session keys the tool reads and changes. */
  readonly session?: readonly string[];
  /** What of a result the model is shown, in bytes. Default 64 KiB. */
  readonly maxResultBytes?: number;
  /** Replaces a tool of the same name registered before this one. */
  readonly override?: boolean;
};

/** Options of every tool that is defined in code. */
export const toolOptionNames = [
  'name',
  'description',
  'inputSchema',
  'needsApproval',
  'effect',
  'onError',
  'timeout',
  'retry',
  'override',
] as const;
const retryNames = [
  'maximumAttempts',
  'initialInterval',
  'backoffCoefficient',
  'maximumInterval',
] as const;

const mostAttempts = 10_000;

export type ParsedToolOptions = {
  readonly subject: string;
  readonly spec: Omit<ToolSpec, 'inputSchema'>;
  readonly inputSchema: unknown;
  readonly problems: readonly Problem[];
};

/** Checks everything about a tool of `defineTool` but its schema. */
export function parseToolOptions(definition: unknown): ParsedToolOptions {
  const own = ['execute', 'session', 'maxResultBytes'];
  const reader = new OptionReader(definition, [...toolOptionNames, ...own]);
  const options = readToolOptions(reader);
  reader.callback('execute', { required: true });
  return options;
}

export function readToolOptions(reader: OptionReader): ParsedToolOptions {
  const name = reader.text('name', {
    pattern: toolNamePattern,
    rule: toolNameRule,
    required: true,
  });
  const description = reader.text('description', {
    rule: 'a text that tells the model what the tool does',
    required: true,
  });
  const effect = reader.choice('effect', ['read', 'idempotent', 'once']);
  const spec = {
    name: name ?? '',
    description: description ?? '',
    ...defined({
      effect,
      onError: reader.choice('onError', ['return', 'fail']),
      needsApproval: approvalOf(reader),
      timeoutMs: reader.duration('timeout'),
      retry: retryOf(reader, effect),
      session: sessionOf(reader),
      maxResultBytes: reader.integer('maxResultBytes', { min: 1, max: limits.toolResultStored }),
    }),
  };
  reader.flag('override');
  const subject =
    typeof reader.get('name') === 'string' ? `Tool ${describeValue(reader.get('name'))}` : 'A tool';
  return { subject, spec, inputSchema: reader.get('inputSchema'), problems: reader.problems };
}

function approvalOf(reader: OptionReader): boolean | 'ask' | undefined {
  const value = reader.get('needsApproval');
  if (typeof value === 'function') return 'ask';
  if (value === undefined || typeof value === 'boolean') return value;
  reader.refuse(
    'needsApproval',
    `must be true, false or a function (args, context) => boolean, not ${describeValue(value)}`,
  );
  return undefined;
}

export function retryOf(reader: OptionReader, effect: string | undefined): RetrySpec | undefined {
  const value = reader.get('retry');
  if (value === undefined) return undefined;
  const retry = reader.nested('retry', retryNames);
  if (retry === undefined) return undefined;
  const spec: RetrySpec = defined({
    maximumAttempts: retry.integer('maximumAttempts', { min: 1, max: mostAttempts }),
    initialIntervalMs: retry.duration('initialInterval'),
    backoffCoefficient: retry.number('backoffCoefficient', { min: 1 }),
    maximumIntervalMs: retry.duration('maximumInterval'),
  });
  if (effect === 'once' && (spec.maximumAttempts ?? 2) > 1) {
    reader.refuse(
      'retry',
      `contradicts effect 'once', which runs one attempt: remove one of the two`,
    );
  }
  if (spec.maximumIntervalMs !== undefined && spec.maximumIntervalMs < firstInterval(spec)) {
    const message = `must not be shorter than the initial interval of ${firstInterval(spec)} ms`;
    retry.refuse('maximumInterval', message);
  }
  return spec;
}

/** Temporal's own default is a second. */
function firstInterval({ initialIntervalMs = 1_000 }: RetrySpec): number {
  return initialIntervalMs;
}

function sessionOf(reader: OptionReader): readonly string[] | undefined {
  const keys = reader.get('session');
  if (keys === undefined) return undefined;
  const problems = sessionKeyProblems(keys, 'session');
  reader.problems.push(...problems);
  return problems.length === 0 ? [...(keys as string[])] : undefined;
}
