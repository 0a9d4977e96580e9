// The contents of calls, for users who want them in their telemetry: prompts, answers, arguments, results. Each piece goes through the
// user's redaction.

import { clipText, defined, type Json, utf8Length } from '../../base';
import type { AssistantPart, FinishReason, Message, ToolContent, ToolOutput } from '../../protocol';
import type { ModelRequest, ModelResponse } from '../../providers';
import { guarded } from './api';

/** A piece of content. */
export type ContentPart = {
  readonly kind:
    'instructions' | 'text' | 'reasoning' | 'arguments' | 'result' | 'tool-definition' | 'error';
  /** Absent for tool definitions and errors. */
  readonly role?: 'system' | 'user' | 'assistant' | 'tool';
  /** The tool's name, if it is about a tool. */
  readonly tool?: string;
  /** JSON for arguments, tool definitions, and results that are not text. */
  readonly text: string;
};

/**
 * Returns the text to record instead, or undefined to record nothing of the piece. If it throws or returns something else, nothing is
 * recorded either. It runs in the worker, so it must be fast and synchronous.
 */
export type Redact = (part: ContentPart) => string | undefined;

/** The most bytes of one piece. */
const pieceBytes = 16 * 1024;

/** The most bytes of the messages of one attribute. Older messages are left out first. */
const attributeBytes = 128 * 1024;

type Piece = { readonly [name: string]: Json };

export class ContentWriter {
  readonly #redact: Redact;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** One text, redacted and cut. */
  text(part: ContentPart): string | undefined {
    const redacted: unknown = guarded(() => this.#redact(part));
    if (typeof redacted === 'string') return clipText(redacted, pieceBytes);
    if (redacted instanceof Promise) redacted.catch(() => undefined);
    return undefined;
  }

  instructions({ instructions }: ModelRequest): string | undefined {
    if (instructions === undefined) return undefined;
    const content = this.text({ kind: 'instructions', role: 'system', text: instructions });
    return content === undefined ? undefined : JSON.stringify([{ type: 'text', content }]);
  }

  toolDefinitions({ tools }: ModelRequest): string | undefined {
    const declared = tools.map(({ name, description, inputSchema }) => {
      const whole = { type: 'function', name, description, parameters: inputSchema };
      return this.#json({ kind: 'tool-definition', tool: name, text: JSON.stringify(whole) });
    });
    return list(declared.filter((each) => each !== undefined));
  }

  input({ messages }: ModelRequest): string | undefined {
    return list(messages.map((message) => this.#message(message)));
  }

  output({ content, finishReason }: ModelResponse): string {
    const parts = content.flatMap((part) => this.#assistantPart(part));
    return JSON.stringify([
      { role: 'assistant', parts, finish_reason: finishReasonName(finishReason) },
    ]);
  }

  args(tool: string, args: Json): string | undefined {
    return this.text({ kind: 'arguments', role: 'assistant', tool, text: JSON.stringify(args) });
  }

  result(tool: string, { content }: ToolOutput): string | undefined {
    return this.text({ kind: 'result', role: 'tool', tool, text: textOf(content) });
  }

  #message(message: Message): Piece {
    const { role } = message;
    if (role === 'assistant')
      return { role, parts: message.parts.flatMap((part) => this.#assistantPart(part)) };
    if (role === 'tool') {
      const parts = message.parts.flatMap(({ callId, name, content }) => {
        const response = this.#json({ kind: 'result', role, tool: name, text: textOf(content) });
        return response === undefined ? [] : [{ type: 'tool_call_response', id: callId, response }];
      });
      return { role, parts };
    }
    const parts = message.parts.flatMap((part) =>
      part.type === 'media' ? [media(part)] : this.#said('text', role, part.text),
    );
    return { role, parts };
  }

  #assistantPart(part: AssistantPart): Piece[] {
    if (part.type === 'reasoning') return this.#said('reasoning', 'assistant', part.text);
    if (part.type === 'media') return [media(part)];
    if (part.type === 'opaque') return [];
    if (part.type !== 'tool_call') return this.#said('text', 'assistant', part.text);
    const { callId: id, name, args, rawArgs } = part;
    const text = rawArgs ?? JSON.stringify(args);
    const given = this.#json({ kind: 'arguments', role: 'assistant', tool: name, text });
    return [{ type: 'tool_call', id, name, ...defined({ arguments: given }) }];
  }

  #said(kind: 'text' | 'reasoning', role: 'system' | 'user' | 'assistant', text: string): Piece[] {
    const content = this.text({ kind, role, text });
    return content === undefined ? [] : [{ type: kind, content }];
  }

  /** A redaction may leave text that is no JSON. */
  #json(part: ContentPart): Json | undefined {
    const text = this.text(part);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Json;
    } catch {
      return text;
    }
  }
}

/** The conventions' names differ from ours in one. */
export function finishReasonName(reason: FinishReason): string {
  return reason === 'tool_calls' ? 'tool_call' : reason;
}

function media({ mediaType }: { readonly mediaType: string }): Piece {
  return { type: 'media', mime_type: mediaType };
}

function textOf(content: readonly ToolContent[]): string {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text') return only.text;
  if (content.length === 1 && only?.type === 'json') return JSON.stringify(only.value);
  const shown = content.map((part) => {
    if (part.type === 'text') return { type: 'text', content: part.text };
    return part.type === 'json' ? part.value : media(part);
  });
  return JSON.stringify(shown);
}

/** The list as JSON, without the first items if it is too long with them. */
function list(items: readonly Json[]): string | undefined {
  const kept: string[] = [];
  let bytes = 2;
  for (const item of items.toReversed()) {
    const text = JSON.stringify(item);
    bytes += utf8Length(text) + 1;
    if (bytes > attributeBytes) break;
    kept.unshift(text);
  }
  return kept.length === 0 ? undefined : `[${kept.join(',')}]`;
}
