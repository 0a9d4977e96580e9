import { isJsonObject, type JsonObject } from '../../../base/json';
import type { AssistantPart, Origin } from '../../../protocol/message';
import { differenceOf, seal, withDifference } from '../../seal';

/**
 * A message item holds several blocks and has an id and a phase of its own. Each block becomes a part; the first part's
 * sealed data has `message`, which opens the message, and the parts after it continue it.
 */
export function fromMessageItem(item: JsonObject, origin: Origin): AssistantPart[] {
  const blocks = Array.isArray(item['content']) ? item['content'] : [];
  if (blocks.length === 0)
    return [{ type: 'opaque', label: 'message', sealed: seal(origin, item) }];
  const { content: _content, ...frame } = item;
  return blocks.map((block, index) => {
    const opening = index === 0 ? { message: differenceOf(frame, messageFrame) } : {};
    return blockPart(isJsonObject(block) ? block : { value: block }, opening, origin);
  });
}

export type OpenMessage = { readonly frame: JsonObject; readonly content: JsonObject[] };

/** The message a part opens; undefined when it continues the one before. */
export function openedMessage(sealed: JsonObject): OpenMessage | undefined {
  const difference = sealed['message'];
  return isJsonObject(difference)
    ? { frame: withDifference(messageFrame, difference), content: [] }
    : undefined;
}

export function toMessageItem({ frame, content }: OpenMessage): JsonObject {
  return { ...frame, content };
}

/** The block of a sealed part of a message; undefined for an opaque part that is an item of its own. */
export function toMessageBlock(part: AssistantPart, sealed: JsonObject): JsonObject | undefined {
  const difference = isJsonObject(sealed['block']) ? sealed['block'] : {};
  switch (part.type) {
    case 'text':
      return withDifference(textBlock(part.text), difference);
    case 'refusal':
      return withDifference(refusalBlock(part.text), difference);
    case 'opaque':
      return isJsonObject(sealed['block']) && sealed['type'] === undefined ? difference : undefined;
    default:
      return undefined;
  }
}

const messageFrame: JsonObject = { type: 'message', role: 'assistant', status: 'completed' };

function textBlock(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function refusalBlock(refusal: string): JsonObject {
  return { type: 'refusal', refusal };
}

function blockPart(block: JsonObject, opening: JsonObject, origin: Origin): AssistantPart {
  const { type, text, refusal } = block;
  if (type === 'output_text' && typeof text === 'string') {
    return { type: 'text', text, sealed: seal(origin, blockSeal(block, textBlock(text), opening)) };
  }
  if (type === 'refusal' && typeof refusal === 'string') {
    const data = blockSeal(block, refusalBlock(refusal), opening);
    return { type: 'refusal', text: refusal, sealed: seal(origin, data) };
  }
  const label = typeof type === 'string' ? type : 'content';
  return { type: 'opaque', label, sealed: seal(origin, { ...opening, block }) };
}

function blockSeal(block: JsonObject, projection: JsonObject, opening: JsonObject): JsonObject {
  const difference = differenceOf(block, projection);
  return Object.keys(difference).length === 0 ? opening : { ...opening, block: difference };
}
