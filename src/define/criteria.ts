import { deepFreeze, isJsonObject, type Json, type JsonObject } from '../base/json';
import type { CriterionResult } from '../protocol/log';
import type { Message } from '../protocol/message';
import type { JsonSchemaLiteral } from './tool';
import type { StandardSchema } from './arguments/emit';

/** What a custom criterion checks. It is asked about text responses only. */
export type CriterionContext = {
  /** The last response's text. */
  readonly text: string;
  readonly workflowId: string;
  readonly agentId: string;
  readonly path: string;
  /** Tool rounds so far. */
  readonly iteration: number;
  /** The conversation, the last response included. */
  readonly messages: readonly Message[];
  /** The session keys the criterion declares. */
  readonly session: Readonly<JsonObject>;
  readonly context: Json;
};

/** Met or not; `missing` tells the model what to do better. */
export type CriterionFunction = (
  context: CriterionContext,
) => boolean | CriterionResult | Promise<boolean | CriterionResult>;

export type KeywordCriterion = { readonly kind: 'keyword'; readonly keyword: string };

export type StructuredOutputCriterion = {
  readonly kind: 'structured-output';
  readonly schema?: StandardSchema | JsonSchemaLiteral;
};

export type MaxIterationsCriterion = { readonly kind: 'max-iterations'; readonly limit: number };

export type CustomCriterion = {
  readonly kind: 'custom';
  readonly name: string;
  readonly evaluate: CriterionFunction;
  /** Session keys the criterion reads. */
  readonly session?: readonly string[];
};

export type Criterion =
  KeywordCriterion | StructuredOutputCriterion | MaxIterationsCriterion | CustomCriterion;

/** When an agent is done: any criterion that is met completes the run. */
export const criteria = Object.freeze({
  /** The last text contains the keyword; upper and lower case differ. */
  keyword: (keyword: string): KeywordCriterion => deepFreeze({ kind: 'keyword', keyword }),

  /** The last text is a JSON object or array, and matches the schema if one is given. */
  structuredOutput: (schema?: StandardSchema | JsonSchemaLiteral): StructuredOutputCriterion =>
    Object.freeze(
      schema === undefined ? { kind: 'structured-output' } : { kind: 'structured-output', schema },
    ),

  /** No criterion by itself: sets the agent's limit of tool rounds, over its `maxIterations`. */
  maxIterations: (limit: number): MaxIterationsCriterion =>
    deepFreeze({ kind: 'max-iterations', limit }),

  /** A function on the worker decides. */
  custom: (
    name: string,
    evaluate: CriterionFunction,
    options: { readonly session?: readonly string[] } = {},
  ): CustomCriterion =>
    deepFreeze({
      kind: 'custom',
      name,
      evaluate,
      ...(options.session === undefined ? {} : { session: [...options.session] }),
    }),
});

export function isCriterion(value: unknown): value is Criterion {
  const kinds = ['keyword', 'structured-output', 'max-iterations', 'custom'];
  return isJsonObject(value) && kinds.includes(value.kind as string);
}
