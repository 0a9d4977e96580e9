import { isJsonObject, type JsonObject } from '../../base/json';
import type { AssistantPart } from '../../protocol/message';

/** The name of this wire format: what is sealed under it goes back to it only. */
export const anthropicApi = 'anthropic-messages';

/** A content block as it is on the wire, whichever fields this version of the API gives it. */
export type MessageBlock = JsonObject & { type: string };

/**
 * What a part says as a block of this API. Reading, a part is sealed with what its block has beyond this; writing, both
 * together are the block again. Undefined for parts that are no block here.
 */
export function projectedBlock(part: AssistantPart): MessageBlock | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return part.redacted === true
        ? { type: 'redacted_thinking' }
        : { type: 'thinking', thinking: part.text };
    case 'tool_call':
      return {
        type: 'tool_use',
        id: part.callId,
        name: part.name,
        // It must be an object: arguments that never were one go back as the text the model wrote.
        input: part.args ?? { INVALID_JSON: part.rawArgs ?? '' },
      };
    case 'opaque':
      return isJsonObject(part.sealed.data) ? (part.sealed.data as MessageBlock) : undefined;
    // A refusal stands beside the content (`stop_details`); the API takes no media from an assistant.
    case 'refusal':
    case 'media':
      return undefined;
  }
}
