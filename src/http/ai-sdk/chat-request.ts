// Reads what the AI SDK's client posts. Of the messages it believes nothing but new text, verdicts, and results of calls that wait for the
// client. Everything else in them is what the server once sent, and the log has it.

import { defined, isJsonObject, type Json, type JsonObject } from '../../base';
import { aList, objectOf, text } from '../../protocol';
import { clientTools, described, id, object } from '../bodies';
import { HttpProblem } from '../problems';
import type { Reply } from '../segment';

/** What the client says a tool returned. Only counts for a call that waits for the client. */
type ChatOutput = {
  readonly toolCallId: string;
  readonly output?: Json;
  readonly errorText?: string;
};

export type ChatRequest = {
  readonly chat: string;
  /** A new message of the user. */
  readonly said?: { readonly messageId: string; readonly text: string };
  readonly verdicts: readonly Reply[];
  readonly outputs: readonly ChatOutput[];
  /** The message of the assistant that the client goes on with. */
  readonly shown?: { readonly messageId: unknown; readonly calls: readonly string[] };
};

/** What the transport of the AI SDK sends, and what a page may add to it. */
export const chatBody = objectOf(
  { id: described(id, 'the id of the chat, a text of 1 to 200 characters') },
  {
    messages: described(aList(), 'a list of messages'),
    message: object('the last message, in place of messages'),
    messageId: described(id, 'the id of a message'),
    trigger: described(text, 'submit-message'),
    clientTools,
  },
);

const verdictPart = 'data-longhaul-verdict';

export function readChatRequest(body: JsonObject): ChatRequest {
  const chat = textIn(body, 'id');
  if (body['trigger'] === 'regenerate-message')
    throw invalid('an answer cannot be made again: send the message as a new one');
  const message = messageOf(body);
  const parts = partsOf(message);
  const verdicts = parts.flatMap(verdictIn);
  if (message['role'] === 'assistant') {
    const calls = parts.flatMap(({ toolCallId }) => (isText(toolCallId) ? [toolCallId] : []));
    const shown = { messageId: message['id'], calls };
    return { chat, verdicts, outputs: parts.flatMap(outputIn), shown };
  }
  if (message['role'] !== 'user')
    throw invalid('the last message must be of the user or the assistant');
  const text = textOf(parts);
  if (text === '' && verdicts.length > 0) return { chat, verdicts, outputs: [] };
  return { chat, said: { messageId: textIn(message, 'id'), text }, verdicts, outputs: [] };
}

/** `message`, or the one of `messages` that `messageId` names, or the last. */
function messageOf({ message, messages, messageId }: JsonObject): JsonObject {
  if (isJsonObject(message)) return message;
  if (!Array.isArray(messages)) throw invalid('messages must be a list of messages');
  const known = messages.filter(isJsonObject);
  const named = known.findLast(({ id, role }) => id === messageId && role === 'assistant');
  const last = known.at(-1);
  if (last === undefined) throw invalid('messages must have a message');
  return last['role'] === 'user' ? last : (named ?? last);
}

function partsOf({ parts }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(parts) || !parts.every(isJsonObject))
    throw invalid('the parts of a message must be a list of objects');
  return parts;
}

function textOf(parts: readonly JsonObject[]): string {
  const said = parts.filter(({ type }) => type !== verdictPart);
  if (!said.every(({ type, text }) => type === 'text' && typeof text === 'string'))
    throw invalid('a message of the user may only have text');
  return said.map(({ text }) => text as string).join('\n');
}

/** An answered approval of a tool part, or a part with a verdict, which may change the arguments. */
function verdictIn(part: JsonObject): Reply[] {
  const { type, state, approval, data } = part;
  if (type === verdictPart && isJsonObject(data)) return [verdictOf(data, data['inputId'])];
  if (state !== 'approval-responded' || !isJsonObject(approval)) return [];
  const { descriptor } = approval;
  const seen = isJsonObject(descriptor) ? descriptor['digest'] : undefined;
  return [verdictOf({ ...approval, ...defined({ seen }) }, approval['id'])];
}

function verdictOf({ approved, reason, args, seen }: JsonObject, inputId: Json | undefined): Reply {
  if (typeof inputId !== 'string' || typeof approved !== 'boolean')
    throw invalid('a verdict must name its input, and say whether it is approved');
  const said = { inputId, ...(isText(seen) && { seen }) };
  const why = isText(reason) && { reason };
  if (approved) return { kind: 'approve', ...said, ...why, ...(isJsonObject(args) && { args }) };
  return { kind: 'reject', ...said, ...why };
}

function outputIn({ state, toolCallId, output, errorText, preliminary }: JsonObject): ChatOutput[] {
  if (typeof toolCallId !== 'string' || preliminary === true) return [];
  if (state === 'output-available') return [{ toolCallId, output: output ?? null }];
  if (state !== 'output-error') return [];
  return [{ toolCallId, errorText: typeof errorText === 'string' ? errorText : 'it failed' }];
}

const isText = (value: Json | undefined): value is string => typeof value === 'string';

function textIn(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value === 'string' && value !== '' && value.length <= 200) return value;
  throw invalid(`${name} must be a text that is not empty, of at most 200 characters`);
}

function invalid(detail: string): HttpProblem {
  return new HttpProblem('InvalidInput', { detail });
}
