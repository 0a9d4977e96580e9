import type { BudgetSpec, RunnerRef } from '../protocol/spec';
import { runnerIdPattern } from './names';
import type { OptionReader } from './option-reader';
import { describeValue } from './problem';
import { isRunner, runnerMakers, type Runner } from '../define/runner';

/** Options of every orchestration. */
export type OrchestrationOptions = {
  readonly id: string;
  readonly description?: string;
  readonly sessionPrecedence?: 'caller' | 'store';
  /** Over all runs below, together. */
  readonly budget?: BudgetSpec;
};

export const orchestrationOptions = ['id', 'description', 'sessionPrecedence', 'budget'] as const;

const runnerRule = `a runner (from ${runnerMakers}) or the id of one`;

/** Runners as an orchestration names them: in its data, and, where they were given as objects, with their code. */
export type NamedRunners = { readonly refs: readonly RunnerRef[]; readonly runners: Runner[] };

/** Reads the list of steps or branches. */
export function readRunners(reader: OptionReader, name: string): NamedRunners | undefined {
  const value = reader.get(name);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    reader.refuse(name, `must be an array, each item ${runnerRule}, not ${describeValue(value)}`);
    return undefined;
  }
  const named = value.map((item: unknown, index) => readRunner(reader, `${name}[${index}]`, item));
  return { refs: named.flatMap(({ ref }) => ref ?? []), runners: distinct(named) };
}

export type NamedRunner = { readonly ref?: RunnerRef; readonly runner?: Runner };

/** `place` is where it stands, for the message. */
export function readRunner(reader: OptionReader, place: string, value: unknown): NamedRunner {
  if (typeof value === 'string' && new RegExp(runnerIdPattern).test(value)) return { ref: value };
  if (isRunner(value)) return { ref: value.spec, runner: value };
  reader.refuse(place, `must be ${runnerRule}, not ${describeValue(value)}`);
  return {};
}

export function distinct(named: readonly NamedRunner[]): Runner[] {
  return [...new Set(named.flatMap(({ runner }) => runner ?? []))];
}
