import type { ParallelSpec } from '../protocol/spec';
import { createOrchestration } from './create-orchestration';
import { OptionReader } from './option-reader';
import {
  orchestrationOptions,
  readRunners,
  type OrchestrationOptions,
} from './orchestration-options';
import { readPlainOptions } from './plain-options';
import type { Parallel, Runner } from '../define/runner';

export type ParallelOptions = OrchestrationOptions & {
  /** Runners, or ids of runners that are registered elsewhere; one may stand there several times. */
  readonly branches: readonly (Runner | string)[];
  /** All results (`'collect_all'`, the default), or that of the branch that completes first. */
  readonly merge?: 'collect_all' | 'first';
  /** With `merge: 'first'`: whether the other branches are cancelled. Default: they run to their end, and nothing of them is kept. */
  readonly cancelRest?: boolean;
  /** How many branches run at a time. Default 50. */
  readonly concurrency?: number;
};

const plainOptions = [...orchestrationOptions, 'merge', 'cancelRest', 'concurrency'];

/**
 * Runs runners at the same time, each with the same input and a copy of the session; what they change of it is merged.
 *
 * @example
 * const review = parallel({
 *   id: 'review',
 *   branches: [security, cost, style],
 * });
 */
export function parallel(options: ParallelOptions): Parallel {
  const reader = new OptionReader(options, [...plainOptions, 'branches']);
  const plain = readPlainOptions(reader, plainOptions);
  const branches = readRunners(reader, 'branches');
  const candidate = {
    kind: 'parallel',
    ...plain,
    ...(branches !== undefined && { branches: branches.refs }),
  } as const;
  const runners = branches?.runners ?? [];
  return createOrchestration<ParallelSpec>(candidate, { reader, runners });
}
