// Open inputs as interrupts of AG-UI. The payload of an approval follows TanStack AI: `{approved: true, editedArgs?}` or `{approved: false}`.

import { defined, type JsonObject } from '../../base';
import type { PendingInput } from '../../protocol';

const reasons: Readonly<Record<PendingInput['kind'], string>> = {
  approval: 'tool_call',
  question: 'question',
  tool: 'tool_result',
  budget: 'budget',
};

/** `place`: the call and the sub-agent that wait. */
export function interruptOf(
  input: PendingInput,
  place: { readonly toolCallId?: string; readonly subagentRunId?: string },
): JsonObject {
  const { inputId, kind, question, expiresAt, path, agentId } = input;
  const { digest, preview, outdated, options } = input;
  const metadata = defined({ kind, path, agent: agentId, digest, preview, outdated, options });
  return {
    id: inputId,
    reason: reasons[kind],
    message: question,
    ...place,
    responseSchema: responseSchema(input),
    ...defined({ expiresAt }),
    metadata: metadata as JsonObject,
  };
}

function responseSchema({ kind, schema, options }: PendingInput): JsonObject {
  switch (kind) {
    case 'approval':
      return {
        type: 'object',
        properties: {
          approved: { type: 'boolean' },
          editedArgs: schema ?? { type: 'object' },
          reason: { type: 'string' },
        },
        required: ['approved'],
      };
    case 'question':
      return schema ?? { type: 'string', ...(options && { examples: [...options] }) };
    case 'tool':
      return schema ?? {};
    case 'budget':
      return { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { const: 'stop' }] };
  }
}
