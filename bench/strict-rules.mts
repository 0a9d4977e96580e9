// What model APIs refuse in a request, written after their own errors: calls and results that are not paired, reasoning that was changed
// or orphaned, a wrong first or last turn. The seals of this double follow from what they seal, so that the rules need no memory.
import { createHash } from 'node:crypto';

export type Wire = Readonly<Record<string, unknown>>;

export const dialects = [
  'openai-responses',
  'openai-chat',
  'anthropic-messages',
  'google-generate-content',
] as const;
export type Dialect = (typeof dialects)[number];

/** A model that speaks each dialect. */
export const models: Record<Dialect, string> = {
  'openai-responses': 'gpt-6.1-terra',
  'openai-chat': 'gpt-5-mini',
  'anthropic-messages': 'claude-opus-4-8',
  'google-generate-content': 'gemini-3.8-flash',
};

/** Signs reasoning: other words have another seal. */
export function sealOf(text: string): string {
  return `sealed-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

/** What a provider says of a request that it refuses; undefined if it takes it. */
export function refusalOf(dialect: Dialect, body: Wire): string | undefined {
  return [...rules[dialect](body)][0];
}

const rules: Record<Dialect, (body: Wire) => Iterable<string>> = {
  'openai-responses': responsesProblems,
  'openai-chat': chatProblems,
  'anthropic-messages': messagesProblems,
  'google-generate-content': contentsProblems,
};

function* responsesProblems({ input, tools }: Wire): Generator<string> {
  const items = records(input);
  const typed = (type: string): Wire[] => items.filter((item) => item['type'] === type);
  const calls = typed('function_call');
  if (calls.length > 0 && records(tools).length === 0) yield 'calls without tools';
  yield* repeated(items.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
  yield* repeated(calls.map(({ call_id: id }) => String(id)));
  for (const [index, item] of items.entries()) {
    const { type, id, call_id: callId } = item;
    if (type === 'function_call' && !hasAfter(items, index, 'function_call_output', callId))
      yield `No tool output found for function call ${String(callId)}.`;
    if (type === 'function_call_output' && !hasBefore(items, index, callId))
      yield `No tool call found for function call output with call_id ${String(callId)}.`;
    if (type === 'reasoning') yield* reasoningProblems(items, index);
    const reasoning = typeof id === 'string' ? id.replace(/^(?:fc|msg)_(\d+).*$/, 'rs_$1') : '';
    if (
      reasoning.startsWith('rs_') &&
      !items.slice(0, index + 1).some((each) => each['id'] === reasoning)
    )
      yield `Item '${String(id)}' was provided without its required 'reasoning' item: '${reasoning}'.`;
  }
}

function* reasoningProblems(items: readonly Wire[], index: number): Generator<string> {
  const { id, encrypted_content: sealed } = items[index] ?? {};
  if (sealed !== sealOf(String(id)))
    yield `The encrypted content of ${String(id)} could not be verified.`;
  const next = items[index + 1]?.['type'];
  if (next !== 'function_call' && next !== 'message')
    yield `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`;
}

function hasAfter(items: readonly Wire[], index: number, type: string, callId: unknown): boolean {
  return items.slice(index + 1).some((item) => item['type'] === type && item['call_id'] === callId);
}

function hasBefore(items: readonly Wire[], index: number, callId: unknown): boolean {
  return items
    .slice(0, index)
    .some((item) => item['type'] === 'function_call' && item['call_id'] === callId);
}

function* chatProblems({ messages, tools }: Wire): Generator<string> {
  let open: string[] = [];
  for (const message of records(messages)) {
    const id = String(message['tool_call_id']);
    if (message['role'] === 'tool') {
      yield* when(
        !open.includes(id),
        `messages with role 'tool' must be a response to a preceding message with 'tool_calls': ${id}`,
      );
      open = open.filter((each) => each !== id);
      continue;
    }
    yield* when(
      open.length > 0,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${open.join()}`,
    );
    open = records(message['tool_calls']).map((call) => String(call['id']));
    yield* repeated(open);
    yield* when(open.length > 0 && records(tools).length === 0, 'tool_calls without tools');
    yield* emptyTurnProblems(message);
  }
  yield* when(open.length > 0, `tool_call_ids without a response: ${open.join()}`);
}

function* emptyTurnProblems({ role, content, tool_calls: calls }: Wire): Generator<string> {
  const isEmpty = records(calls).length === 0;
  yield* when(isEmpty && calls !== undefined, "[] is too short - 'messages.tool_calls'");
  const saysNothing = content === null || content === '';
  yield* when(
    isEmpty && role === 'assistant' && saysNothing,
    'an assistant message must have content or tool_calls',
  );
}

function* messagesProblems({ messages, tools, thinking }: Wire): Generator<string> {
  const all = records(messages);
  const blocks = all.flatMap(({ content }) => records(content));
  const isOfTools = blocks.some(({ type }) => type === 'tool_use' || type === 'tool_result');
  yield* when(all[0]?.['role'] !== 'user', 'messages: first message must use the "user" role');
  yield* when(all.at(-1)?.['role'] !== 'user', 'The conversation must end with a user message.');
  yield* when(
    isOfTools && records(tools).length === 0,
    'Requests which include `tool_use` or `tool_result` blocks must define tools',
  );
  yield* when(
    blocks.filter((block) => 'cache_control' in block).length > 3,
    'A maximum of 4 blocks with cache_control may be provided.',
  );
  yield* repeated(blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : [])));
  for (const [index, message] of all.entries()) yield* messageProblems(all, index, message);
  yield* when(
    thinking !== undefined && lacksThinking(all),
    'Expected `thinking` or `redacted_thinking`, but found another block.',
  );
}

/** In a loop of tools, the turn before the results must begin as the model began it. */
function lacksThinking(all: readonly Wire[]): boolean {
  const isLoop = records(all.at(-1)?.['content'])[0]?.['type'] === 'tool_result';
  const last = all.findLast(({ role }) => role === 'assistant');
  return isLoop && records(last?.['content'])[0]?.['type'] !== 'thinking';
}

function* messageProblems(all: readonly Wire[], index: number, message: Wire): Generator<string> {
  const blocks = records(message['content']);
  if (blocks.length === 0) yield `messages.${index}: must have non-empty content`;
  const given = idsOf(all[index + 1], 'tool_result', 'tool_use_id');
  const lacking = idsOf(message, 'tool_use', 'id').filter((id) => !given.includes(id));
  if (lacking.length > 0)
    yield `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${lacking.join()}.`;
  const called = idsOf(all[index - 1], 'tool_use', 'id');
  const results = idsOf(message, 'tool_result', 'tool_use_id');
  yield* repeated(results);
  const unexpected = results.filter((id) => !called.includes(id));
  if (unexpected.length > 0)
    yield `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected.join()}.`;
  if (
    blocks.slice(0, results.length).some(({ type }) => results.length > 0 && type !== 'tool_result')
  )
    yield `messages.${index}: \`tool_result\` blocks must come first`;
  for (const { type, text, thinking, signature } of blocks) {
    if (type === 'text' && String(text).trim() === '')
      yield 'text content blocks must contain non-whitespace text';
    if (type === 'thinking' && signature !== sealOf(String(thinking)))
      yield 'Invalid `signature` in `thinking` block';
  }
}

function idsOf(message: Wire | undefined, type: string, field: string): string[] {
  return records(message?.['content']).flatMap((block) =>
    block['type'] === type ? [String(block[field])] : [],
  );
}

function* contentsProblems({ contents, tools }: Wire): Generator<string> {
  const all = records(contents);
  yield* when(all[0]?.['role'] !== 'user', 'Please ensure that the first turn is a user turn.');
  yield* when(all.at(-1)?.['role'] !== 'user', 'Requests must not end with a turn of the model.');
  const hasCalls = all.some((turn) => partsOf(turn, 'functionCall').length > 0);
  yield* when(hasCalls && records(tools).length === 0, 'function calls without tools');
  const question = all.findLastIndex(
    (turn) => turn['role'] === 'user' && partsOf(turn, 'functionResponse').length === 0,
  );
  for (const [index, turn] of all.entries()) {
    yield* when(records(turn['parts']).length === 0, `contents.${index}.parts must not be empty.`);
    yield* callTurnProblems(all, index, turn);
    yield* signatureProblems(turn, index > question);
  }
}

function* callTurnProblems(all: readonly Wire[], index: number, turn: Wire): Generator<string> {
  const calls = partsOf(turn, 'functionCall');
  yield* when(
    calls.length > 0 && all[index - 1]?.['role'] !== 'user',
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  );
  yield* when(
    calls.length > 0 &&
      !isSame(namesOf(calls), namesOf(partsOf(all[index + 1], 'functionResponse'))),
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  );
  const answers = partsOf(turn, 'functionResponse');
  yield* when(
    answers.length > 0 && partsOf(all[index - 1], 'functionCall').length === 0,
    'Please ensure that function response turn comes immediately after a function call turn.',
  );
}

/** The first call of each step since the last question must have its signature. Any other signature must be right. */
function* signatureProblems(turn: Wire, isCurrent: boolean): Generator<string> {
  const parts = records(turn['parts']).filter((part) => part['functionCall'] !== undefined);
  yield* when(
    isCurrent && parts[0] !== undefined && parts[0]['thoughtSignature'] === undefined,
    'Function call is missing a thought_signature in functionCall parts.',
  );
  for (const { functionCall, thoughtSignature } of parts) {
    const { name, args } = functionCall as Wire;
    if (
      thoughtSignature !== undefined &&
      thoughtSignature !== sealOf(`${String(name)}${JSON.stringify(args)}`)
    )
      yield 'Thought signature is not valid.';
  }
}

function partsOf(turn: Wire | undefined, field: string): Wire[] {
  return records(turn?.['parts']).flatMap((part) => records([part[field]]));
}

function namesOf(parts: readonly Wire[]): readonly string[] {
  return parts.map(({ id, name }) => `${String(id)} ${String(name)}`);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.join() === other.join();
}

function* when(isWrong: boolean, message: string): Generator<string> {
  if (isWrong) yield message;
}

function* repeated(ids: readonly string[]): Generator<string> {
  const again = ids.find((id, index) => ids.indexOf(id) < index);
  if (again !== undefined) yield `Duplicate item found with id ${again}.`;
}

function records(value: unknown): Wire[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Wire => typeof item === 'object' && item !== null);
}
