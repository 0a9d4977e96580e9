import { isJsonObject, type Json, type JsonObject } from '../../../base';
import type { AssistantPart, Origin, ReasoningPart, ToolCallPart } from '../../../protocol';
import { checkToolArguments, differenceOf, seal, withDifference } from '../../wire';
import { argumentsSeal } from '../parts';

const separator = '\n\n';

/**
 * A message item has an id, a phase and several blocks. Each block becomes a part. The sealed data of the first part has `message`, which
 * opens the message. The parts after it continue the message.
 */
function fromMessageItem(item: JsonObject, origin: Origin): AssistantPart[] {
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

/** The message that a part opens; undefined if the part continues an earlier message. */
export function openedMessage(sealed: JsonObject): OpenMessage | undefined {
  const difference = sealed['message'];
  return isJsonObject(difference)
    ? { frame: withDifference(messageFrame, difference), content: [] }
    : undefined;
}

export function toMessageItem({ frame, content }: OpenMessage): JsonObject {
  return { ...frame, content };
}

/** The block of a sealed part of a message; undefined for an opaque part that is a whole item. */
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

/** A part's text in its item: the field, and the lengths of its pieces. Default: one summary, or no piece if the text is empty. */
type Split = { readonly field: 'summary' | 'content'; readonly lengths: readonly Json[] };

/** Reasoning: shows its text once. Its other fields, such as the encrypted content, go back unchanged. */
function fromReasoningItem(item: JsonObject, origin: Origin): ReasoningPart {
  const summary = pieces(item['summary']);
  const content = pieces(item['content']);
  const field = summary.length === 0 && content.length > 0 ? 'content' : 'summary';
  const texts = field === 'summary' ? summary : content;
  const text = texts.join(separator);
  const lengths = texts.map((piece) => piece.length);
  const isDefault = field === 'summary' && lengths.length === (text === '' ? 0 : 1);
  const difference = differenceOf(item, projection(text, { field, lengths }));
  const data = isDefault ? difference : { ...difference, [`$${field}`]: lengths };
  return { type: 'reasoning', text, sealed: seal(origin, data) };
}

export function toReasoningItem(part: ReasoningPart, sealed: JsonObject): JsonObject {
  const { $summary, $content, ...difference } = sealed;
  return withDifference(projection(part.text, splitOf(part.text, $summary, $content)), difference);
}

function splitOf(text: string, summary: Json | undefined, content: Json | undefined): Split {
  if (Array.isArray(content)) return { field: 'content', lengths: content };
  if (Array.isArray(summary)) return { field: 'summary', lengths: summary };
  return { field: 'summary', lengths: text === '' ? [] : [text.length] };
}

function projection(text: string, { field, lengths }: Split): JsonObject {
  let start = 0;
  const texts = lengths.map((length) => {
    const piece = text.slice(start, start + Number(length));
    start += piece.length + separator.length;
    return piece;
  });
  if (field === 'summary') {
    const summary = texts.map((piece) => ({ type: 'summary_text', text: piece }));
    return { type: 'reasoning', summary };
  }
  const content = texts.map((piece) => ({ type: 'reasoning_text', text: piece }));
  return { type: 'reasoning', summary: [], content };
}

function pieces(value: Json | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((piece) =>
    isJsonObject(piece) && typeof piece['text'] === 'string' ? [piece['text']] : [],
  );
}

/** Converts output items to parts, in order. The sealed data of the parts gives the items back. `firstCall` numbers calls without an id. */
export function fromResponsesOutput(
  output: readonly unknown[],
  origin: Origin,
  firstCall: number,
): AssistantPart[] {
  let call = firstCall;
  return output.filter(isItem).flatMap((item): AssistantPart[] => {
    switch (item['type']) {
      case 'message':
        return fromMessageItem(item, origin);
      case 'reasoning':
        return [fromReasoningItem(item, origin)];
      case 'function_call':
        return [fromFunctionCall(item, origin, `call_${call++}`)];
      default:
        return [{ type: 'opaque', label: labelOf(item), sealed: seal(origin, item) }];
    }
  });
}

/** A function call without its id. A call of another provider also takes this form. */
export function functionCallItem(
  call: Pick<ToolCallPart, 'callId' | 'name'>,
  argumentsText: string,
): JsonObject {
  return {
    type: 'function_call',
    call_id: call.callId,
    name: call.name,
    arguments: argumentsText,
    status: 'completed',
  };
}

function fromFunctionCall(item: JsonObject, origin: Origin, fallbackId: string): ToolCallPart {
  const { arguments: given, call_id: givenId, name: givenName } = item;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  const parsed = checkToolArguments(text);
  const callId = typeof givenId === 'string' && givenId !== '' ? givenId : fallbackId;
  const name = typeof givenName === 'string' ? givenName : '';
  const projection = functionCallItem({ callId, name }, text);
  const difference = differenceOf({ ...item, call_id: callId, arguments: text }, projection);
  const data = { ...difference, ...argumentsSeal(text, parsed) };
  return { type: 'tool_call', callId, name, ...parsed, sealed: seal(origin, data) };
}

function isItem(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

function labelOf(item: JsonObject): string {
  return typeof item['type'] === 'string' ? item['type'] : 'item';
}
