import type { PendingInput, ResumeOptions, RunHandle } from '../../client/index';
import { LonghaulError } from '../../protocol';
import { defined, isJsonObject, type Json, type JsonObject, quote } from '../../base';
import { messageOf } from '../exit';
import { printable } from '../render/text';
import { renderQuestion } from '../render/render-parts';
import type { Terminal } from '../render/terminal';

const defaultReason = 'A person rejected this call.';

/** A person's answer to a pending input. */
export type Reply =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'approve'; readonly args?: JsonObject }
  | { readonly kind: 'reject'; readonly reason: string }
  | { readonly kind: 'complete'; readonly value: Json }
  | { readonly kind: 'fail'; readonly reason: string };

/**
 * What a text means as an answer. To a question: an option, its number, or any text. To an approval: `y`, `n`, `n: reason`, or the
 * arguments to call with, as JSON. To a tool call that waits for its result: the result as JSON, or `fail: reason`.
 */
export function replyTo(input: PendingInput, text: string): Reply {
  if (input.kind === 'tool') return resultReply(input, text);
  return input.kind === 'approval' ? approvalReply(input, text) : answerReply(input, text);
}

/** Returns what the run took it as: `answered`. */
export async function sendReply(
  run: RunHandle,
  inputId: string,
  reply: Reply & Pick<ResumeOptions, 'note' | 'seen'>,
): Promise<string> {
  const { note, seen } = reply;
  const remark = defined({ note, seen });
  switch (reply.kind) {
    case 'answer':
      await run.resume(reply.text, { inputId, ...remark });
      return 'answered';
    case 'approve': {
      const options = { ...remark, ...defined({ args: reply.args }) };
      const { missing, asksAnew } = await run.approve(inputId, options);
      if (asksAnew) return 'changed, the run asks anew about the call:';
      return missing === 0 ? 'approved' : `approved, ${missing} more must approve:`;
    }
    case 'reject':
      await run.reject(inputId, reply.reason, remark);
      return 'refused';
    case 'complete':
      await run.complete(inputId, reply.value, remark);
      return 'completed';
    case 'fail':
      await run.fail(inputId, reply.reason, remark);
      return 'failed';
  }
}

/** The text as a JSON object, or undefined. */
function argumentsFromText(text: string): JsonObject | undefined {
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
  const args = argumentsFromText(word);
  if (args !== undefined) return { kind: 'approve', args };
  throw new LonghaulError(
    'InvalidAnswer',
    `${quote(text)} does not answer the approval '${inputId}': give y, n, "n: reason", or the arguments as a JSON object`,
  );
}

function resultReply({ inputId }: PendingInput, text: string): Reply {
  const reason = /^\s*fail\s*:(?<reason>[\s\S]*)$/i.exec(text)?.groups?.['reason']?.trim();
  if (reason !== undefined && reason !== '') return { kind: 'fail', reason };
  return { kind: 'complete', value: parseResult(inputId, text) };
}

/** The result of a tool call. Not any text: a typing error in JSON would be a result. */
export function parseResult(inputId: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new LonghaulError(
      'InvalidAnswer',
      `${quote(text)} is no result of '${inputId}': give JSON, such as '{"done": true}' or '"a text"'`,
      { cause: error },
    );
  }
}

const prompts: Readonly<Record<PendingInput['kind'], string>> = {
  question: '> ',
  budget: '> ',
  approval: '[y]es, [n]o, [e]dit > ',
  tool: 'result as JSON, or fail: reason > ',
};

/** Asks until there is a reply. Undefined if the person ended the input. */
export async function askPerson(
  input: PendingInput,
  terminal: Terminal,
): Promise<Reply | undefined> {
  for (const line of renderQuestion(input, terminal.style)) terminal.print(line);
  const isApproval = input.kind === 'approval';
  for (;;) {
    const text = await terminal.ask(prompts[input.kind]);
    if (text === undefined) return undefined;
    if (isApproval && /^\s*n(?:o)?\s*$/i.test(text)) {
      const reason = await terminal.ask('reason > ');
      return reason === undefined ? undefined : replyTo(input, `n: ${reason}`);
    }
    if (isApproval && /^\s*e(?:dit)?\s*$/i.test(text)) return await askArguments(input, terminal);
    const isSilent = text.trim() === '' && !isApproval && input.kind !== 'tool';
    if (isSilent) continue;
    try {
      return replyTo(input, text);
    } catch (error) {
      terminal.print(printable(messageOf(error)));
    }
  }
}

async function askArguments(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  let draft = JSON.stringify(input.call?.args ?? {});
  for (;;) {
    const text = await terminal.ask('arguments > ', draft);
    if (text === undefined) return undefined;
    const args = argumentsFromText(text);
    if (args !== undefined) return { kind: 'approve', args };
    terminal.print('the arguments must be a JSON object');
    draft = text;
  }
}
