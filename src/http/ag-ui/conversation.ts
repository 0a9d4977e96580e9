// What the client of a request shows: its own messages, and what it makes of the events that it got. It is needed where events only add, but
// something must go or change: then a `MESSAGES_SNAPSHOT` says all messages.
//
// Source: `apply/default.ts` of the package `@ag-ui/client` 1.0.

import { canonicalJson, plainJson } from '../../base/json';

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
  readonly #turn: string;
  /** Messages of this turn that the client has. */
  readonly #had: readonly AgUiMessage[];
  #messages: AgUiMessage[];
  /** Where messages of this turn go, as long as they are told that the client may have. */
  #place: number;

  /** `messages`: those of the client. What they say of this turn is not believed: it is told again. */
  constructor(messages: readonly AgUiMessage[], turn: string) {
    this.#turn = turn;
    this.#had = messages.filter((message) => this.#isOwn(message));
    this.#messages = messages.filter((message) => !this.#isOwn(message));
    const first = messages.findIndex((message) => this.#isOwn(message));
    this.#place = first === -1 ? this.#messages.length : first;
  }

  /** From now on the client gets what is told. Whether it needs a snapshot, because it has something else of this turn. */
  goLive(): boolean {
    const own = this.#messages.filter((message) => this.#isOwn(message));
    const ids = new Set(own.map(({ id }) => id));
    const gone = this.#had.filter(({ id }) => !ids.has(id));
    const had = new Set(this.#had.map(meaning));
    const isSame =
      own.length === this.#had.length && own.every((message) => had.has(meaning(message)));
    for (const message of gone) if (this.#mustStay(message)) this.#insert(emptied(message));
    this.#place = this.#messages.length;
    return !isSame;
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

  /** Drops a message and those below it. False if there are none. */
  drop(id: string): boolean {
    const isGone = (message: AgUiMessage): boolean =>
      message.id === id || message.id.startsWith(`${id}/`);
    const gone = this.#messages.filter(isGone);
    const before = this.#messages.slice(0, this.#place).filter(isGone).length;
    this.#messages = this.#messages.filter((message) => !isGone(message));
    this.#place -= before;
    for (const message of gone) if (this.#mustStay(message)) this.#insert(emptied(message));
    return gone.length > 0;
  }

  /** Does with an event what the client does with it. */
  apply(event: AgUiEvent): void {
    const { type, messageId, delta } = event as AgUiEvent & { messageId: string; delta: string };
    switch (type) {
      case 'TEXT_MESSAGE_START':
      case 'REASONING_MESSAGE_START': {
        const { role } = event as AgUiEvent & { role: string };
        if (!this.has(messageId))
          this.#insert({ id: messageId, role, content: '', ...owner(event) });
        return;
      }
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
    else
      this.#insert({ id: parentMessageId, role: 'assistant', toolCalls: [call], ...owner(event) });
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
      ...(metadata !== undefined && { metadata }),
    };
    const asking = this.#messages.findIndex(({ toolCalls = [] }) =>
      toolCalls.some(({ id }) => id === toolCallId),
    );
    if (asking === -1) return this.#insert(message);
    let at = asking + 1;
    while (this.#messages[at]?.role === 'tool') at += 1;
    this.#insert(message, at);
  }

  #insert(message: AgUiMessage, at = this.#place): void {
    this.#messages.splice(at, 0, message);
    if (at <= this.#place) this.#place += 1;
  }

  #find(messageId: string): AgUiMessage | undefined {
    return this.#messages.findLast(({ id }) => id === messageId);
  }

  #isOwn({ id }: AgUiMessage): boolean {
    return id.startsWith(`${this.#turn}/`);
  }

  /** A client keeps its reasoning beside a snapshot without any. Then only an empty message voids it. */
  #mustStay({ role }: AgUiMessage): boolean {
    return role === 'reasoning' && !this.#messages.some((message) => message.role === 'reasoning');
  }
}

function emptied(message: AgUiMessage): AgUiMessage {
  return { ...message, content: '' };
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

export function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
