import { deepFreeze, isJsonObject, type Json, type JsonObject } from '../base';
import type { CriterionResult, Message } from '../protocol';
import type { JsonSchemaLiteral } from './tool';
import type { StandardSchema } from './arguments/emit';

/** What a custom criterion gets. Only responses without tool calls are checked. */
export type CriterionContext = {
  /** The text of the last response. */
  readonly text: string;
  readonly workflowId: string;
  readonly agentId: string;
  readonly path: string;
  /** Rounds of tool calls so far. */
  readonly iteration: number;
  /** The conversation with the last response. */
  readonly messages: readonly Message[];
  /** The session keys that the criterion declares. Changes are lost. */
  readonly session: Readonly<JsonObject>;
  readonly context: Json;
};

/** Returns whether the criterion is met. The model gets the text of `missing`. */
export type CriterionFunction = (
  context: CriterionContext,
) => boolean | CriterionResult | Promise<boolean | CriterionResult>;

export type KeywordCriterion = { readonly kind: 'keyword'; readonly keyword: string };

export type StructuredOutputCriterion = {
  readonly kind: 'structured-output';
  readonly schema?: StandardSchema | JsonSchemaLiteral;
};

export type MaxIterationsCriterion = { readonly kind: 'max-iterations'; readonly limit: number };

/** A criterion that a function on the worker checks. Made by `criteria.custom`. */
export type CustomCriterion = {
  readonly kind: 'custom';
  readonly name: string;
  readonly evaluate: CriterionFunction;
  /** The session keys that the criterion reads. */
  readonly session?: readonly string[];
};

/** One way to complete a run. Made by `criteria`. */
export type Criterion =
  KeywordCriterion | StructuredOutputCriterion | MaxIterationsCriterion | CustomCriterion;

/** Makes the criteria of an agent. A text that meets any of them completes the run. */
export const criteria = Object.freeze({
  /** Met if the text contains the keyword. Case matters. */
  keyword: (keyword: string): KeywordCriterion => deepFreeze({ kind: 'keyword', keyword }),

  /** Met if the text is a JSON object or array that matches the schema. Without a schema, any object or array counts. */
  structuredOutput: (schema?: StandardSchema | JsonSchemaLiteral): StructuredOutputCriterion =>
    Object.freeze(
      schema === undefined ? { kind: 'structured-output' } : { kind: 'structured-output', schema },
    ),

  /** Never met. Sets the agent's `maxIterations`, over the option of that name. */
  maxIterations: (limit: number): MaxIterationsCriterion =>
    deepFreeze({ kind: 'max-iterations', limit }),

  /** Met if the function on the worker returns true. `session` names the session keys that the function reads. */
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
