// Plays the runs of a round and holds what they come to against the expectation.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { LonghaulError, type Message } from 'longhaul';
import type { AgentRunResult, Longhaul, RunHandle } from 'longhaul/client';
import type { MemoryStore } from 'longhaul/worker';
import type { Caller } from './client.mts';
import { differenceOf, type Expectation } from './expect.mts';
import type { People } from './people.mts';
import type { TreePlan } from './plan.mts';
import { inputOf } from './says.mts';

export type Theatre = {
  readonly longhaul: Longhaul;
  readonly caller: Caller;
  readonly people: People;
  readonly expectation: Expectation;
  readonly memory: MemoryStore;
  readonly report: (wrong: string) => void;
};

/** How long a store may take to have what it is owed, when nothing disturbs it. */
export const settleMs = 120_000;

type End =
  | { readonly kind: 'complete'; readonly result: AgentRunResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** Starts the run, answers all it asks, and judges its end. */
export async function playTree(
  theatre: Theatre,
  tree: TreePlan,
  { signal, runId: id = tree.id }: { readonly signal: AbortSignal; readonly runId?: string },
): Promise<void> {
  const { longhaul, caller } = theatre;
  const { root } = tree;
  const run = longhaul.run(id);
  await caller
    .insist(`the start of ${id}`, () => longhaul.start(root.id, inputOf(tree), { runId: id }))
    .catch(ignoring('RunAlreadyExists'));
  const end = await attend(theatre, run, signal);
  judgeTree(theatre, tree, end);
  if (end.kind !== 'complete' || root.kind !== 'agent') return;
  await judgeTranscript(theatre, root.id, () =>
    caller.insist(`the transcript of ${id}`, () => run.transcript(), signal),
  );
}

/** Answers what the run asks until it ends. */
export async function attend(
  { caller, people }: Theatre,
  run: RunHandle,
  signal: AbortSignal,
): Promise<End> {
  try {
    for (;;) {
      const outcome = await caller.insist(
        `the outcome of ${run.runId}`,
        () => run.outcome(),
        signal,
      );
      if (outcome.kind === 'complete') return outcome;
      await people.answerSome(run, outcome.pending);
    }
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    return { kind: 'failed', code: error.code, message: error.message };
  }
}

function judgeTree({ expectation, report }: Theatre, tree: TreePlan, end: End): void {
  const expected = expectation.ends.get(tree.id);
  if (tree.cancelAfter !== undefined && end.kind === 'failed' && end.code === 'RunCancelled')
    return;
  if (end.kind === 'failed') {
    if (expected?.kind === 'failed' && expected.code === end.code) return;
    return report(`${tree.id} failed with ${end.code}: ${end.message}`);
  }
  const { finalResponse, combinedText, session } = end.result;
  const actual = {
    kind: 'complete',
    text: finalResponse.text,
    ...(combinedText !== undefined && { combinedText }),
    session,
  };
  if (!isDeepStrictEqual(actual, expected))
    report(`${tree.id} came to ${clipped(actual)}, expected ${clipped(expected)}`);
}

/** While no worker answers in time it comes from history alone, which has not all of it: then it is read again. */
async function judgeTranscript(
  { expectation, report }: Theatre,
  agent: string,
  read: () => Promise<readonly Message[]>,
): Promise<void> {
  const conversation = expectation.conversations.get(agent);
  if (conversation?.answer === undefined) return;
  const answer = { role: 'assistant' as const, text: conversation.answer };
  const deadline = Date.now() + settleMs;
  for (;;) {
    const said = (await read()).filter(({ role }) => role !== 'system').flatMap(spoken);
    const difference = differenceOf(said, [...conversation.messages, answer]);
    if (difference === undefined) return;
    if (Date.now() > deadline) return report(`the transcript of ${agent}: ${difference}`);
    await sleep(1_000);
  }
}

function spoken(message: Message): readonly { readonly role: string; readonly text: string }[] {
  if (message.role === 'tool')
    return message.parts.map(({ content }) => ({
      role: 'tool',
      text: content.map(textOf).join('\n'),
    }));
  const texts = message.parts.map((part) => {
    if (part.type === 'tool_call') return `${part.name}(${JSON.stringify(part.args)})`;
    return part.type === 'text' ? part.text : `[${part.type}]`;
  });
  return [{ role: message.role, text: texts.join('\n') }];
}

const textOf = (part: object): string =>
  'text' in part ? String(part.text) : JSON.stringify(part);

function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (!LonghaulError.is(error) || error.code !== code) throw error;
  };
}

export function clipped(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text;
}
