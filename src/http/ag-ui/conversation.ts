// What the client of a request shows: its own messages, and what it makes of the events that it got. It is needed where events only add, but
// something must go or change: then a `MESSAGES_SNAPSHOT` says all messages.
//
// Source: `apply/default.ts` of the package `@ag-ui/client` 1.0.

import { canonicalJson, defined, plainJson } from '../../base';

export type AgUiEvent = { readonly type: string; readonly [name: string]: unknown };

type AgUiToolCall = {
  readonly id: string;
  readonly type: 'function';
  readonly function: { name: string; arguments: string };
};

export type AgUiMessage = {
  readonly id: string;
  readonly role: string;
  content?: unknown;
  toolCalls?: AgUiToolCall[];
  readonly toolCallId?: string;
  readonly [name: string]: unknown;
};

export class Conversation {
  /** How the ids of messages of this turn begin. */
  readonly #prefix: string;
  /** What the client has. */
  readonly #client: readonly AgUiMessage[];
  /** Until `goLive` what it should have: its messages of other turns, and what was told of this one. Then what it has. */
  #messages: AgUiMessage[];
  /** What people said while the turn worked. It belongs to the turn, though its ids are of clients. */
  readonly #steered = new Set<string>();
  #isLive = false;

  /** `messages`: those of the client. What they say of this turn is not believed: it is told again. */
  constructor(messages: readonly AgUiMessage[], turn: string) {
    this.#prefix = `${turn}/`;
    this.#client = messages;
    this.#messages = messages.filter((message) => !this.#isOfTurn(message));
  }

  /**
   * From now on the client gets what is told. Returns what it needs if it has something else of this turn. A client keeps the order of what
   * it has, and puts at the end what it lacks. So all of the turn goes, and comes again.
   */
  goLive(): readonly AgUiEvent[] {
    this.#isLive = true;
    if (this.#hasAll()) {
      this.#messages = [...this.#client];
      return [];
    }
    const told = this.#messages.filter((message) => this.#isOfTurn(message));
    const had = this.#client.filter((message) => this.#isOfTurn(message));
    const events: AgUiEvent[] = [];
    this.#messages = this.#messages.filter((message) => !told.includes(message));
    if (had.length > 0) {
      this.#replaceReasoning(had);
      events.push(this.snapshot());
    }
    if (told.length > 0) {
      this.#messages.push(...told);
      this.endReasoning();
      events.push(this.snapshot());
    }
    return events;
  }

  snapshot(): AgUiEvent {
    return { type: 'MESSAGES_SNAPSHOT', messages: plainJson(this.#messages) };
  }

  has(messageId: string): boolean {
    return this.#find(messageId) !== undefined;
  }

  /** The result that the client shows for a call: ours, or its own. */
  resultOf(toolCallId: string): AgUiMessage | undefined {
    return this.#messages.find(({ role, toolCallId: of }) => role === 'tool' && of === toolCallId);
  }

  callOf(toolCallId: string): AgUiToolCall['function'] | undefined {
    for (const { toolCalls = [] } of this.#messages) {
      const call = toolCalls.find(({ id }) => id === toolCallId);
      if (call !== undefined) return call.function;
    }
    return undefined;
  }

  /** Whether a message that a person said while the turn worked stands where it belongs: behind all that was told before. */
  isSteeredLast(messageId: string): boolean {
    this.#steered.add(messageId);
    return this.#messages.at(-1)?.id === messageId;
  }

  /** Drops a message and those below it. False if there are none. */
  drop(id: string): boolean {
    const isGone = (message: AgUiMessage): boolean =>
      message.id === id || message.id.startsWith(`${id}/`);
    const gone = this.#messages.filter(isGone);
    this.#messages = this.#messages.filter((message) => !isGone(message));
    if (this.#isLive) this.#replaceReasoning(gone);
    return gone.length > 0;
  }

  /** Drops the message that stands for reasoning, if there is other reasoning now. Whether the client needs a snapshot for that. */
  endReasoning(): boolean {
    const { id } = this.#noReasoning;
    if (!this.has(id)) return false;
    if (!this.#messages.some((message) => message.role === 'reasoning' && message.id !== id))
      return false;
    this.#messages = this.#messages.filter((message) => message.id !== id);
    return true;
  }

  /** Does with an event what the client does with it. */
  apply(event: AgUiEvent): void {
    const { type, messageId, delta } = event as AgUiEvent & { messageId: string; delta: string };
    switch (type) {
      case 'TEXT_MESSAGE_START':
      case 'TEXT_MESSAGE_CHUNK':
      case 'REASONING_MESSAGE_START':
        return this.#startMessage(event);
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT': {
        const message = this.#find(messageId);
        if (message !== undefined) message.content = `${(message.content ?? '') as string}${delta}`;
        return;
      }
      case 'TOOL_CALL_START':
        return this.#startCall(event);
      case 'TOOL_CALL_ARGS': {
        const call = this.callOf(event['toolCallId'] as string);
        if (call !== undefined) call.arguments += delta;
        return;
      }
      case 'TOOL_CALL_RESULT':
        return this.#answerCall(event);
    }
  }

  /** Only a chunk has content. */
  #startMessage(event: AgUiEvent): void {
    const {
      messageId,
      role,
      delta = '',
    } = event as AgUiEvent & {
      messageId: string;
      role: string;
      delta?: string;
    };
    if (!this.has(messageId))
      this.#messages.push({ id: messageId, role, content: delta, ...owner(event) });
  }

  #startCall(event: AgUiEvent): void {
    const { toolCallId, toolCallName, parentMessageId } = event as AgUiEvent & {
      toolCallId: string;
      toolCallName: string;
      parentMessageId: string;
    };
    const call: AgUiToolCall = {
      id: toolCallId,
      type: 'function',
      function: { name: toolCallName, arguments: '' },
    };
    const parent = this.#find(parentMessageId);
    if (parent !== undefined) parent.toolCalls = [...(parent.toolCalls ?? []), call];
    else {
      const message = { id: parentMessageId, role: 'assistant', toolCalls: [call] };
      this.#messages.push({ ...message, ...owner(event) });
    }
  }

  /** After its call, behind the other results. */
  #answerCall(event: AgUiEvent): void {
    const { messageId, toolCallId, content, metadata } = event as AgUiEvent & {
      messageId: string;
      toolCallId: string;
    };
    const message: AgUiMessage = {
      id: messageId,
      toolCallId,
      role: 'tool',
      content,
      ...owner(event),
      ...defined({ metadata }),
    };
    const asking = this.#messages.findIndex(({ toolCalls = [] }) =>
      toolCalls.some(({ id }) => id === toolCallId),
    );
    let at = asking === -1 ? this.#messages.length : asking + 1;
    while (this.#messages[at]?.role === 'tool') at += 1;
    this.#messages.splice(at, 0, message);
  }

  #find(messageId: string): AgUiMessage | undefined {
    return this.#messages.findLast(({ id }) => id === messageId);
  }

  #isOfTurn({ id, toolCallId }: AgUiMessage): boolean {
    return id.startsWith(this.#prefix) || this.#isCall(toolCallId) || this.#steered.has(id);
  }

  #isCall(toolCallId: unknown): boolean {
    return typeof toolCallId === 'string' && toolCallId.startsWith(this.#prefix);
  }

  /** Whether the client has all that was told, in its order. A result that it gave itself stands where it put it. */
  #hasAll(): boolean {
    const given = this.#client.filter(
      ({ id, toolCallId }) => this.#isCall(toolCallId) && !id.startsWith(this.#prefix),
    );
    const isGiven = ({ toolCallId }: AgUiMessage): boolean =>
      toolCallId !== undefined && given.some((each) => each.toolCallId === toolCallId);
    const orderOf = (messages: readonly AgUiMessage[]): readonly string[] =>
      messages.filter((each) => this.#isOfTurn(each) && !isGiven(each)).map(meaning);
    const areTrue = given.every(({ toolCallId = '', content }) => {
      const result = this.resultOf(toolCallId);
      return result === undefined || isSameContent(result.content, content);
    });
    return areTrue && orderOf(this.#client).join() === orderOf(this.#messages).join();
  }

  /** A client keeps its reasoning beside a snapshot without any. So an empty message stands for what is gone. */
  #replaceReasoning(gone: readonly AgUiMessage[]): void {
    const isReasoning = ({ role }: AgUiMessage): boolean => role === 'reasoning';
    if (gone.some(isReasoning) && !this.#messages.some(isReasoning))
      this.#messages.push(this.#noReasoning);
  }

  get #noReasoning(): AgUiMessage {
    return { id: `${this.#prefix}no-reasoning`, role: 'reasoning', content: '' };
  }
}

function owner({ subagentRunId }: AgUiEvent): { readonly subagentRunId?: unknown } {
  return subagentRunId === undefined ? {} : { subagentRunId };
}

/** Equal for messages that say the same: arguments may have other spaces. */
function meaning({ toolCalls, ...message }: AgUiMessage): string {
  const calls = toolCalls?.map(({ id, function: { name, arguments: text } }) => [
    id,
    name,
    argumentsOf(text),
  ]);
  return canonicalJson({ ...message, calls });
}

/** Results are text. JSON may have other spaces. */
export function isSameContent(one: unknown, other: unknown): boolean {
  const read = (content: unknown): unknown =>
    typeof content === 'string' ? argumentsOf(content) : content;
  return canonicalJson(read(one)) === canonicalJson(read(other));
}

export function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
