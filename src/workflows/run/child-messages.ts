// What runs tell each other: what a child waits for, what it gave, what it spent. Anybody may send the like: it is read whole, or
// refused, before anything is changed. Pure.

import { shapeProblems } from '../../base/check-shape';
import { formatProblem, quote } from '../../base/problem';
import { checkJson } from '../../core/session';
import { LonghaulError } from '../../protocol/errors';
import type { JsonSchema } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { Usage } from '../../protocol/message';
import type {
  CalledTool,
  ChildInputs,
  ChildOutcome,
  ChildResult,
  PendingInput,
  RunSpend,
} from '../../protocol/run';
import type { SessionDelta } from '../../protocol/session';

const text = { type: 'string' };
const id = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };
const object = { type: 'object' };
const amount = { type: 'number', minimum: 0 };
const tokens = { anyOf: [amount, { const: null }] };

/** Every member of the type has its shape: one that is added there must be added here, too. */
function objectOf<Fields extends object>(
  properties: Readonly<Record<keyof Fields, JsonSchema>>,
  optional: readonly (keyof Fields & string)[] = [],
): JsonSchema {
  const names = Object.keys(properties) as (keyof Fields & string)[];
  const required = names.filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const spend = objectOf<RunSpend>(
  {
    usage: objectOf<Usage>({
      inputTokens: tokens,
      outputTokens: tokens,
      totalTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
      reasoningTokens: tokens,
    }),
    tokens: amount,
    costUsd: amount,
    unpriced: texts,
    added: objectOf<NonNullable<RunSpend['added']>>({ tokens: amount, costUsd: amount }, [
      'tokens',
      'costUsd',
    ]),
  },
  ['tokens', 'costUsd', 'unpriced', 'added'],
);

const result = objectOf<ChildResult>(
  {
    finalResponse: objectOf<ChildResult['finalResponse']>(
      { text, content: { type: 'array', items: object }, structured: {} },
      ['structured'],
    ),
    iterations: amount,
    completionReason: text,
    combinedText: text,
    contextTokens: amount,
    toolCalls: {
      type: 'array',
      items: objectOf<CalledTool>(
        { callId: text, name: text, args: object, isError: { const: true } },
        ['args', 'isError'],
      ),
    },
    warnings: texts,
    delta: objectOf<SessionDelta>({ set: object, removed: texts }),
    spend,
  },
  ['combinedText', 'contextTokens', 'toolCalls', 'warnings'],
);

const pendingInput = objectOf<PendingInput>(
  {
    inputId: id,
    kind: { enum: ['question', 'approval', 'budget'] },
    question: text,
    options: texts,
    call: object,
    agentId: id,
    path: id,
    since: text,
    nonce: text,
  },
  ['options', 'call', 'nonce'],
);

const inputsShape = objectOf<ChildInputs>(
  {
    child: id,
    branch: id,
    inputs: { type: 'array', items: pendingInput, maxItems: limits.toldInputs },
  },
  ['branch'],
);

export function childInputs(payload: unknown): ChildInputs {
  const told = read<ChildInputs>(payload, inputsShape);
  const known = new Set<string>();
  for (const { inputId } of told.inputs) {
    if (known.has(inputId))
      throw new LonghaulError('InvalidInput', `inputs lists ${quote(inputId)} a second time`);
    known.add(inputId);
  }
  return told;
}

const resultShape = objectOf<{ child: string; result: ChildResult }>({ child: id, result });
const spendShape = objectOf<{ child: string; spend: RunSpend }>({ child: id, spend });

export function childOutcome(payload: unknown): ChildOutcome {
  const tellsSpend = typeof payload === 'object' && payload !== null && 'spend' in payload;
  return read<ChildOutcome>(payload, tellsSpend ? spendShape : resultShape);
}

function read<Value>(payload: unknown, shape: JsonSchema): Value {
  const violation = checkJson(payload);
  if (violation !== undefined) {
    throw new LonghaulError('InvalidInput', `${violation.path} is not JSON: ${violation.problem}`);
  }
  const [problem] = shapeProblems(shape, payload);
  if (problem !== undefined) throw new LonghaulError('InvalidInput', formatProblem(problem));
  return payload as Value;
}
