import type {
  CacheControlEphemeral,
  ContentBlockParam,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { WireMessage } from './to-messages';

/** How many blocks back from a marker the API looks for an earlier cache entry. */
const lookback = 20;

type Marked = {
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly Tool[];
  readonly messages: readonly WireMessage[];
};

/**
 * Caching reads tools, then system, then messages. One marker stands still at the end of tools and system; the other is the
 * top-level `cache_control`, which the API applies to the last block itself. So a longer conversation has byte for byte the
 * prefix of the shorter one. Only a turn of more blocks than the API looks back gets a third marker, where the request
 * before it ended: markers are no part of what is hashed, and without it the whole history would be paid again.
 */
export function withCacheMarkers(request: Marked, marker: CacheControlEphemeral): Marked {
  const { system, tools, messages } = request;
  return {
    system: markLast(system, marker),
    tools: system.length > 0 ? tools : markLast(tools, marker),
    messages: markPreviousEnd(messages, marker),
  };
}

function markPreviousEnd(
  messages: readonly WireMessage[],
  marker: CacheControlEphemeral,
): readonly WireMessage[] {
  const added = messages.slice(-2);
  const blocks = added.reduce((count, message) => count + message.content.length, 0);
  const previous = messages.at(-3);
  if (previous?.role !== 'user' || blocks < lookback) return messages;
  const content = markLast(previous.content, marker);
  return [...messages.slice(0, -3), { ...previous, content: [...content] }, ...added];
}

function markLast<Block extends TextBlockParam | Tool | ContentBlockParam>(
  blocks: readonly Block[],
  marker: CacheControlEphemeral,
): readonly Block[] {
  const last = blocks.at(-1);
  return last === undefined ? blocks : [...blocks.slice(0, -1), { ...last, cache_control: marker }];
}
