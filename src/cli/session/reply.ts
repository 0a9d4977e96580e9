import type { RunHandle } from '../../client';
import { InvalidAnswer } from '../../protocol/error-classes';
import { isJsonObject, type JsonObject } from '../../base/json';
import type { PendingInput } from '../../protocol/run';
import { quote } from '../../spec/problem';

/** What a person decided about a pending input. */
export type Reply =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'approve'; readonly args?: JsonObject }
  | { readonly kind: 'reject'; readonly reason: string };

const defaultReason = 'A person rejected this call.';

/**
 * What a text means as the answer to an input. A question: an option, the number of one, or any text. An approval: `y`, `n`,
 * `n: reason`, or the arguments to call with, as JSON.
 */
export function replyTo(input: PendingInput, text: string): Reply {
  return input.kind === 'approval' ? approvalReply(input, text) : answerReply(input, text);
}

export async function sendReply(run: RunHandle, inputId: string, reply: Reply): Promise<void> {
  switch (reply.kind) {
    case 'answer':
      return run.resume(reply.text, { inputId });
    case 'approve':
      return run.approve(inputId, reply.args === undefined ? {} : { args: reply.args });
    case 'reject':
      return run.reject(inputId, reply.reason);
  }
}

/** An object of JSON, or nothing when the text is none. */
export function argumentsOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function answerReply({ options = [] }: PendingInput, text: string): Reply {
  if (options.includes(text)) return { kind: 'answer', text };
  const chosen = /^\d+$/.test(text.trim()) ? options[Number(text) - 1] : undefined;
  return { kind: 'answer', text: chosen ?? text };
}

function approvalReply({ inputId }: PendingInput, text: string): Reply {
  const word = text.trim();
  if (/^(?:y|yes|approve)$/i.test(word)) return { kind: 'approve' };
  const refusal = /^(?:n|no|reject)(?:\s*:\s*(?<reason>[\s\S]*))?$/i.exec(word);
  if (refusal !== null)
    return { kind: 'reject', reason: refusal.groups?.['reason'] || defaultReason };
  const args = argumentsOf(word);
  if (args !== undefined) return { kind: 'approve', args };
  throw new InvalidAnswer(
    `${quote(text)} does not answer the approval '${inputId}': give y, n, "n: reason", or the arguments as a JSON object`,
  );
}
