/*
 * The part of a conversation that the model gets: the prompt is a view of the log. Pure.
 *
 * V1. A cut turn goes whole: its calls, results, reasoning and opaque parts. So every call stays paired with its result.
 * V2. The first and the last message of the user always stay. So does everything after the summarised turns.
 *     What was last when the prompt was made smaller stays until that happens again: else the next message would change the middle.
 * V3. The log keeps what the view leaves out.
 */
import { utf8Length } from '../../base';
import type { Clearing, SummaryEvent } from '../../protocol/log';
import type { Message, Stored, ToolContent, ToolResult, UserMessage } from '../../protocol/message';
import { askUserTool } from '../../protocol/names';

/** A shorter result stays: the note would not be shorter. */
const leastCleared = 256;

const introduction = 'Summary of the conversation so far:';

/** A message, and the number of the model turn that it belongs to or leads to. The caller's history has 0. */
export type PlacedMessage = {
  readonly message: Message;
  readonly turn: number;
  readonly isOfUser: boolean;
};

/** How the prompt is smaller than the log. */
export type Compaction = {
  readonly summary?: SummaryEvent;
  readonly clearings: readonly Clearing[];
  /** The index of the message that was the user's last when the prompt was made smaller. */
  readonly last?: number;
};

export const summaryMessage = (text: string): UserMessage => ({
  role: 'user',
  parts: [{ type: 'text', text: `${introduction}\n${text}` }],
});

/** Whether a call of the tool only reads, so that the model may make it again. */
export type ReadsOnly = (tool: string) => boolean;

/** `readsOnly`: what workflows estimate does not need it. */
export function viewOf(
  placed: readonly PlacedMessage[],
  compaction: Compaction,
  readsOnly: ReadsOnly = () => true,
): Message[] {
  const { summary, clearings } = compaction;
  const shown =
    clearings.length === 0 ? placed : placed.map((each) => cleared(each, clearings, readsOnly));
  if (summary === undefined) return shown.map(({ message }) => message);
  const { last = 0 } = compaction;
  const first = firstOfUser(placed);
  const isSystem = ({ message }: PlacedMessage): boolean => message.role === 'system';
  const opening = shown.filter((each, index) => index === first || isSystem(each));
  const stays = ({ turn, isOfUser }: PlacedMessage, index: number): boolean =>
    turn > summary.through || (isOfUser && index >= last);
  const rest = shown.filter(
    (each, index) => index !== first && !isSystem(each) && stays(each, index),
  );
  return [
    ...opening.map(({ message }) => message),
    summaryMessage(summary.text),
    ...rest.map(({ message }) => message),
  ];
}

/** What a summary of the turns up to `through` is made of: the first message, the summary before, and the turns since then, whole. */
export function summarisedPart(
  placed: readonly PlacedMessage[],
  { summary }: Compaction,
  through: number,
): Message[] {
  const first = firstOfUser(placed);
  const after = summary?.through ?? -1;
  const isOlder = ({ turn }: PlacedMessage): boolean => turn > after && turn <= through;
  return [
    ...placed.slice(first, first + 1).map(({ message }) => message),
    ...(summary ? [summaryMessage(summary.text)] : []),
    ...placed.flatMap((each, index) => (index !== first && isOlder(each) ? [each.message] : [])),
  ];
}

/** The size of a result in a prompt. */
export function resultBytes({ content }: Pick<ToolResult, 'content'>): number {
  return content.reduce((sum, part) => sum + contentBytes(part), 0);
}

/** True if the clearing takes a result of this size. */
export function clears(
  { over, except = [] }: Clearing,
  { name, content }: Pick<ToolResult, 'name' | 'content'>,
  bytes: number,
): boolean {
  if (bytes <= Math.max(over, leastCleared) || name === askUserTool.name) return false;
  // What nobody should call again goes only if all of it can be read again.
  return !except.includes(name) || storedTexts(content).length === content.length;
}

/** The message that stays of a cleared result. A repeated call of a tool that acts would act again: it has another idempotency key. */
export function clearedNote(
  content: ToolResult['content'],
  shown: number,
  readsOnly = true,
): ToolContent {
  const all = storedTexts(content);
  const [stored] = all;
  const bytes = all.reduce((sum, each) => sum + each.bytes, 0) || shown;
  const what = `result of ${bytes} bytes cleared to save room`;
  const again = readsOnly
    ? 'call the tool again if you need it'
    : 'the call has been made: do not make it again';
  if (stored === undefined) return { type: 'text', text: `[${what}; ${again}]` };
  const refs = all.map(({ digest }) => `ref "${digest}"`).join(', ');
  return { type: 'text', text: `[${what}; read it with read_result, ${refs}]`, stored };
}

function cleared(
  placed: PlacedMessage,
  clearings: readonly Clearing[],
  readsOnly: ReadsOnly,
): PlacedMessage {
  const { message, turn } = placed;
  const binding = clearings.filter(({ through }) => turn <= through);
  if (message.role !== 'tool' || binding.length === 0) return placed;
  const parts = message.parts.map((result) => {
    const bytes = resultBytes(result);
    const isCleared = binding.some((clearing) => clears(clearing, result, bytes));
    if (!isCleared) return result;
    return { ...result, content: [clearedNote(result.content, bytes, readsOnly(result.name))] };
  });
  return { ...placed, message: { ...message, parts } };
}

const firstOfUser = (placed: readonly PlacedMessage[]): number =>
  placed.findIndex(({ isOfUser }) => isOfUser);

function contentBytes(part: ToolContent): number {
  if (part.type === 'text') return utf8Length(part.text);
  if (part.type === 'json') return utf8Length(JSON.stringify(part.value));
  const { source } = part;
  if (source.kind === 'stored') return source.bytes;
  return source.kind === 'base64' ? source.data.length : 0;
}

function storedTexts(content: ToolResult['content']): readonly Stored[] {
  return content.flatMap((part) =>
    part.type === 'text' && part.stored !== undefined ? [part.stored] : [],
  );
}
