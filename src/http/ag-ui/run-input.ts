// Reads `RunAgentInput` of AG-UI. Of the messages only what comes after the last one of the agent counts: a text of the user, and results of
// tools. The others are only sent back when the client must show something else. `state`, `context` and `forwardedProps` are not read.

import { defined, isJsonObject, type Json, type JsonObject } from '../../base';
import type { ClientToolOptions } from '../../client/index';
import { HttpProblem } from '../problems';
import type { AgUiMessage } from './conversation';

/** What the client says about an interrupt. */
export type ResumeEntry = {
  readonly interruptId: string;
  readonly isCancelled: boolean;
  readonly payload?: Json;
  /** The digest of what the person saw, as the metadata of the interrupt has it. */
  readonly seen?: string;
};

/** What the client says that one of its tools returned. `error`: why it failed. */
export type ClientOutput = {
  readonly toolCallId: string;
  readonly content: string;
  readonly error?: string;
};

export type RunAgentInput = {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly AgUiMessage[];
  readonly said?: { readonly messageId: string; readonly text: string };
  readonly outputs: readonly ClientOutput[];
  readonly entries: readonly ResumeEntry[];
  readonly tools: readonly ClientToolOptions[];
};

/** More than any turn has open inputs. */
const mostEntries = 200;

export function readRunInput(body: JsonObject): RunAgentInput {
  const messages = listIn(body, 'messages').map(readMessage);
  const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'reasoning');
  const news = messages.slice(last + 1);
  const said = news.findLast(({ role }) => role === 'user');
  return {
    threadId: textIn(body, 'threadId'),
    runId: textIn(body, 'runId'),
    messages,
    ...(said !== undefined && { said: { messageId: said.id, text: textOf(said) } }),
    outputs: news.filter(({ role }) => role === 'tool').map(readOutput),
    entries: readEntries(listIn(body, 'resume')),
    tools: listIn(body, 'tools').map(readTool),
  };
}

function readMessage(message: Json): AgUiMessage {
  if (!isJsonObject(message)) throw invalid('a message must be an object');
  textIn(message, 'role');
  textIn(message, 'id');
  const { toolCalls } = message;
  if (toolCalls !== undefined && !(Array.isArray(toolCalls) && toolCalls.every(isToolCall)))
    throw invalid('the toolCalls of a message must be a list of calls');
  return message as object as AgUiMessage;
}

function isToolCall(call: Json): boolean {
  if (!isJsonObject(call) || typeof call['id'] !== 'string') return false;
  const { function: called } = call;
  if (!isJsonObject(called)) return false;
  return typeof called['name'] === 'string' && typeof called['arguments'] === 'string';
}

function readOutput(message: AgUiMessage): ClientOutput {
  const { toolCallId, error } = message;
  if (typeof toolCallId !== 'string') throw invalid('a message of a tool must have a toolCallId');
  const failed = typeof error === 'string' && error !== '' ? { error } : {};
  return { toolCallId, content: textOf(message), ...failed };
}

function textOf({ content }: AgUiMessage): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as unknown[]) : [];
  const texts = parts.map((part) =>
    isJsonObject(part) && part['type'] === 'text' ? part['text'] : undefined,
  );
  if (parts.length === 0 || !texts.every((text) => typeof text === 'string'))
    throw invalid('a message of the user or a tool may only have text');
  return texts.join('\n');
}

function readEntries(entries: readonly Json[]): readonly ResumeEntry[] {
  if (entries.length > mostEntries) throw invalid('resume has too many entries');
  const read = entries.map(readEntry);
  if (new Set(read.map(({ interruptId }) => interruptId)).size < read.length)
    throw invalid('resume names an interrupt twice');
  return read;
}

function readEntry(entry: Json): ResumeEntry {
  if (!isJsonObject(entry)) throw invalid('an entry of resume must be an object');
  const { status, payload, metadata } = entry;
  if (status !== 'resolved' && status !== 'cancelled')
    throw invalid('the status of an entry of resume must be resolved or cancelled');
  const seen = isJsonObject(metadata) ? metadata['digest'] : undefined;
  return {
    interruptId: textIn(entry, 'interruptId', 1_000),
    isCancelled: status === 'cancelled',
    ...defined({ payload }),
    ...(typeof seen === 'string' && { seen }),
  };
}

function readTool(tool: Json): ClientToolOptions {
  if (!isJsonObject(tool)) throw invalid('a tool must be an object');
  const { name, description, parameters } = tool;
  if (typeof name !== 'string' || typeof description !== 'string')
    throw invalid('a tool must have a name and a description');
  const inputSchema = { type: 'object', ...(isJsonObject(parameters) && parameters) } as const;
  return { name, description, inputSchema };
}

/** Absent and null mean an empty list. */
function listIn(object: JsonObject, name: string): readonly Json[] {
  const value = object[name] ?? [];
  if (!Array.isArray(value)) throw invalid(`${name} must be a list`);
  return value;
}

function textIn(object: JsonObject, name: string, longest = 2_000): string {
  const value = object[name];
  if (typeof value === 'string' && value !== '' && value.length <= longest) return value;
  throw invalid(`${name} must be a text that is not empty`);
}

function invalid(detail: string): HttpProblem {
  return new HttpProblem('InvalidInput', { detail });
}
