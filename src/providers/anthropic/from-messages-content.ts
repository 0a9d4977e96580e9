import type { Json } from '../../base/json';
import type { AssistantPart, Origin } from '../../protocol/message';
import { differenceOf, seal, sealedField } from '../seal';
import { checkToolArguments } from '../tool-arguments';
import { projectedBlock, type MessageBlock } from './blocks';

/**
 * Each block becomes one part, in order: the API refuses thinking blocks that were changed, merged or moved. What a part
 * does not say itself (signature, redacted data, citations) is sealed with it; unknown blocks are sealed whole.
 */
export function fromMessagesContent(
  blocks: readonly MessageBlock[],
  origin: Origin,
): AssistantPart[] {
  return blocks.flatMap((block) => {
    const part = toPart(withoutNulls(block), origin);
    return part.type === 'text' && part.text === '' && part.sealed === undefined ? [] : [part];
  });
}

function toPart(block: MessageBlock, origin: Origin): AssistantPart {
  switch (block.type) {
    case 'text':
      return sealed({ type: 'text', text: asText(block['text']) }, block, origin);
    case 'thinking':
      return sealed({ type: 'reasoning', text: asText(block['thinking']) }, block, origin);
    case 'redacted_thinking':
      return sealed({ type: 'reasoning', text: '', redacted: true }, block, origin);
    case 'tool_use': {
      const call = { callId: asText(block['id']), name: asText(block['name']) };
      return sealed(
        { type: 'tool_call', ...call, ...checkToolArguments(block['input']) },
        block,
        origin,
      );
    }
    default:
      return { type: 'opaque', label: block.type, sealed: seal(origin, block) };
  }
}

function sealed(part: AssistantPart, block: MessageBlock, origin: Origin): AssistantPart {
  const projection = projectedBlock(part);
  if (projection === undefined) return part;
  const difference = differenceOf(block, projection);
  // A call's own fields are the part's alone: they may be changed before it goes back.
  const { id: _id, name: _name, input: _input, ...beyond } = difference;
  const data = part.type === 'tool_call' ? beyond : difference;
  return { ...part, ...sealedField(origin, data) };
}

/** Null is how the API says "absent", and history carries a part in every later turn. */
function withoutNulls(block: MessageBlock): MessageBlock {
  const said = Object.entries(block).filter(([, value]) => value !== null);
  return Object.fromEntries(said) as MessageBlock;
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
