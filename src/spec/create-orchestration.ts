import type { GraphSpec, ParallelSpec, SequentialSpec } from '../protocol/spec';
import type { OptionReader } from './option-reader';
import { deepFreeze } from '../base/plain-json';
import { specError } from './problem';
import { runnerSubject, type Runner } from '../define/runner';
import { checkNesting } from './runner-nesting';
import { ownSpecProblems } from './runner-spec-problems';
import { optionOf, unreported } from './unreported';

type Orchestration<Spec> = {
  readonly kind: Spec extends { kind: infer Kind } ? Kind : never;
  readonly id: string;
  readonly spec: Spec;
  readonly runners: readonly Runner[];
};

export type ReadOptions = {
  readonly reader: OptionReader;
  /** Those given as objects. */
  readonly runners: readonly Runner[];
  /** What a problem is about: where the options were wrong about it already, the data is not looked at. */
  readonly subjectOf?: (path: string) => string;
};

/** The definition made of data whose options were read: what could not be read is missing from it. */
export function createOrchestration<Spec extends SequentialSpec | ParallelSpec | GraphSpec>(
  candidate: Pick<Spec, 'kind'>,
  { reader, runners, subjectOf = optionOf }: ReadOptions,
): Orchestration<Spec> {
  const { kind } = candidate;
  const found = ownSpecProblems(kind, candidate);
  const problems = [...reader.problems, ...unreported(found, reader.problems, subjectOf)];
  if (problems.length > 0) throw specError(runnerSubject(kind, reader.get('id')), problems);
  const spec = deepFreeze(candidate as Spec);
  checkNesting(spec);
  const definition = { kind, id: spec.id, spec, runners: Object.freeze([...runners]) };
  return Object.freeze(definition) as Orchestration<Spec>;
}
