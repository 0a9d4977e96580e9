import type { SequentialSpec } from '../protocol/spec';
import { createOrchestration } from './create-orchestration';
import { OptionReader } from './option-reader';
import {
  orchestrationOptions,
  readRunners,
  type OrchestrationOptions,
} from './orchestration-options';
import { readPlainOptions } from './plain-options';
import type { Runner, Sequential } from '../define/runner';

export type SequentialOptions = OrchestrationOptions & {
  /** Runners, or ids of runners that are registered elsewhere; one may stand there several times. */
  readonly steps: readonly (Runner | string)[];
  /**
   * What a step gets: the pipeline's input (`false`, the default), the text of the step before it (`true`), or all texts of a
   * parallel before it (`'combined'`).
   */
  readonly passOutput?: boolean | 'combined';
};

const plainOptions = [...orchestrationOptions, 'passOutput'];

/**
 * Runs one runner after the other, with one session through all of them. The result is the last step's.
 *
 * @example
 * const article = sequential({
 *   id: 'article',
 *   steps: [researcher, writer, editor],
 *   passOutput: true,
 * });
 */
export function sequential(options: SequentialOptions): Sequential {
  const reader = new OptionReader(options, [...plainOptions, 'steps']);
  const plain = readPlainOptions(reader, plainOptions);
  const steps = readRunners(reader, 'steps');
  const candidate = {
    kind: 'sequential',
    ...plain,
    ...(steps !== undefined && { steps: steps.refs }),
  } as const;
  const runners = steps?.runners ?? [];
  return createOrchestration<SequentialSpec>(candidate, { reader, runners });
}
