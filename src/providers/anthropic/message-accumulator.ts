import type {
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawContentBlockStopEvent,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { isJsonObject, type Json } from '../../base';
import type { CallOptions, ModelDelta } from '../provider';
import type { StreamReader } from '../attempt';
import type { MessageBlock } from './blocks';
import type { Usage } from '../../protocol';
import { asList, asText, sumOfCounts, tokenCount } from '../wire';

export type StreamedMessage = {
  readonly id: string | undefined;
  readonly content: readonly MessageBlock[];
  readonly stopReason: string | null;
  /** Why the model refused, in the API's words. */
  readonly explanation: string | undefined;
  readonly usage: MessagesUsage;
};

type OpenBlock = { readonly block: MessageBlock; inputText: string; call?: number };

/** Joins the events of a stream into a message, with every field of every block. */
export class MessageAccumulator implements StreamReader<RawMessageStreamEvent> {
  readonly #onDelta: CallOptions['onDelta'];
  /** By their index. A server may choose any index. */
  readonly #blocks = new Map<number, OpenBlock>();
  #id: string | undefined;
  #usage: MessagesUsage = {};
  #stopReason: string | null = null;
  #explanation: string | undefined;
  #calls = 0;
  #complete = false;

  constructor(onDelta: CallOptions['onDelta']) {
    this.#onDelta = onDelta;
  }

  /** False until the event that ends a message: a stream may be cut without any error. */
  get isComplete(): boolean {
    return this.#complete;
  }

  accept(event: RawMessageStreamEvent): void {
    const delta = this.#take(event);
    if (delta !== undefined) this.#onDelta(delta);
  }

  message(): StreamedMessage {
    return {
      id: this.#id,
      content: [...this.#blocks]
        .sort(([one], [other]) => one - other)
        .map(([, open]) => closed(open)),
      stopReason: this.#stopReason,
      explanation: this.#explanation,
      usage: this.#usage,
    };
  }

  /** Takes the next event, and returns the delta to show, if there is one. */
  #take(event: RawMessageStreamEvent): ModelDelta | undefined {
    switch (event.type) {
      case 'message_start':
        this.#id = event.message.id;
        this.#usage = laterUsage(this.#usage, event.message.usage ?? {});
        return undefined;
      case 'content_block_start':
        return this.#start(event);
      case 'content_block_delta':
        return this.#extend(event);
      case 'content_block_stop':
        return this.#stop(event);
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason;
        this.#explanation = event.delta.stop_details?.explanation ?? undefined;
        this.#usage = laterUsage(this.#usage, event.usage ?? {});
        return undefined;
      case 'message_stop':
        this.#complete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  #start({ index, content_block }: RawContentBlockStartEvent): ModelDelta | undefined {
    const open: OpenBlock = {
      block: { ...content_block } as unknown as MessageBlock,
      inputText: '',
    };
    this.#blocks.set(index, open);
    if (content_block.type === 'tool_use') {
      open.call = this.#calls;
      this.#calls += 1;
      return {
        kind: 'tool-call',
        index: open.call,
        callId: content_block.id,
        name: content_block.name,
      };
    }
    // The API starts blocks empty; compatible servers put the first words in.
    if (content_block.type === 'text') return shown('text', content_block.text);
    if (content_block.type === 'thinking') return shown('reasoning', content_block.thinking);
    return undefined;
  }

  #extend({ index, delta }: RawContentBlockDeltaEvent): ModelDelta | undefined {
    const open = this.#blocks.get(index);
    if (open === undefined) return undefined;
    const { block } = open;
    switch (delta.type) {
      case 'text_delta':
        block['text'] = `${asText(block['text'])}${delta.text}`;
        return shown('text', delta.text);
      case 'thinking_delta':
        block['thinking'] = `${asText(block['thinking'])}${delta.thinking}`;
        return shown('reasoning', delta.thinking);
      case 'signature_delta':
        block['signature'] = delta.signature;
        return undefined;
      case 'citations_delta':
        block['citations'] = [...asList(block['citations']), { ...delta.citation }];
        return undefined;
      case 'input_json_delta':
        open.inputText += delta.partial_json;
        return open.call === undefined
          ? undefined
          : { kind: 'tool-call', index: open.call, args: delta.partial_json };
      default:
        return undefined;
    }
  }

  #stop({ index }: RawContentBlockStopEvent): ModelDelta | undefined {
    const open = this.#blocks.get(index);
    if (open?.call === undefined) return undefined;
    return { kind: 'tool-call', index: open.call, ...inputAtStart(open), complete: true };
  }
}

/** Compatible servers put the whole input into the start of a block. */
function inputAtStart({ block: { input }, inputText }: OpenBlock): { readonly args?: string } {
  const isShown = inputText !== '' || !isJsonObject(input) || Object.keys(input).length === 0;
  return isShown ? {} : { args: JSON.stringify(input) };
}

/** Input that does not parse stays a text, as the model wrote it. */
function closed({ block, inputText }: OpenBlock): MessageBlock {
  if (inputText === '') return block;
  try {
    return { ...block, input: JSON.parse(inputText) as Json };
  } catch {
    return { ...block, input: inputText };
  }
}

function shown(kind: 'text' | 'reasoning', text: string): ModelDelta | undefined {
  return text === '' ? undefined : { kind, text };
}

/** The fields of usage that this reads. Compatible servers leave some out. */
type MessagesUsage = {
  readonly input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
};

/** `input_tokens` does not count tokens that were read from the cache or written to it. The neutral input counts them. */
export function fromMessagesUsage(usage: MessagesUsage): Usage {
  const cacheReadTokens = tokenCount(usage.cache_read_input_tokens);
  const cacheWriteTokens = tokenCount(usage.cache_creation_input_tokens);
  const inputTokens = sumOfCounts(usage.input_tokens, cacheReadTokens, cacheWriteTokens);
  const outputTokens = tokenCount(usage.output_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: sumOfCounts(inputTokens, outputTokens),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: tokenCount(usage.output_tokens_details?.thinking_tokens),
  };
}

/** Later counts are cumulative: they replace the earlier ones. A count that an event leaves out stays. */
function laterUsage(earlier: MessagesUsage, later: MessagesUsage): MessagesUsage {
  const said = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...(Object.fromEntries(said) as MessagesUsage) };
}
