import type { RunHandle } from '../../client';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject, type JsonObject } from '../../base/json';
import type { PendingInput } from '../../protocol/run';
import { quote } from '../../base/problem';
import { renderQuestion } from '../render/render-pending';
import type { Terminal } from '../render/terminal';

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
function argumentsOf(text: string): JsonObject | undefined {
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
  throw new LonghaulError(
    'InvalidAnswer',
    `${quote(text)} does not answer the approval '${inputId}': give y, n, "n: reason", or the arguments as a JSON object`,
  );
}

/** Asks until there is a reply; undefined when the person ended the input instead. */
export async function askPerson(
  input: PendingInput,
  terminal: Terminal,
): Promise<Reply | undefined> {
  for (const line of renderQuestion(input, terminal.style)) terminal.print(line);
  return input.kind === 'approval' ? askApproval(input, terminal) : askQuestion(input, terminal);
}

async function askQuestion(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  for (;;) {
    const text = await terminal.ask('> ');
    if (text === undefined) return undefined;
    if (text.trim() !== '') return replyTo(input, text);
  }
}

async function askApproval(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  for (;;) {
    const choice = await terminal.ask('[y]es, [n]o, [e]dit > ');
    if (choice === undefined) return undefined;
    if (/^y(?:es)?$/i.test(choice.trim())) return { kind: 'approve' };
    if (/^n(?:o)?$/i.test(choice.trim())) {
      const reason = await terminal.ask('reason > ');
      return reason === undefined ? undefined : replyTo(input, `n: ${reason}`);
    }
    if (/^e(?:dit)?$/i.test(choice.trim())) return askArguments(input, terminal);
  }
}

async function askArguments(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  let draft = JSON.stringify(input.call?.args ?? {});
  for (;;) {
    const text = await terminal.ask('arguments > ', draft);
    if (text === undefined) return undefined;
    const args = argumentsOf(text);
    if (args !== undefined) return { kind: 'approve', args };
    terminal.print('the arguments must be a JSON object');
    draft = text;
  }
}
