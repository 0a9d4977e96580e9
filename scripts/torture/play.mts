// Plays the runs and conversations of a round and holds what they come to against the expectation.

import { isDeepStrictEqual } from 'node:util';
import { LonghaulError, type Message } from 'longhaul';
import type { AgentRunResult, Longhaul, RunHandle, ThreadHandle } from 'longhaul/client';
import type { MemoryStore } from 'longhaul/worker';
import type { Caller } from './client.mts';
import { differenceOf, type Expectation } from './expect.mts';
import type { People } from './people.mts';
import type { MessagePlan, ThreadPlan, TreePlan } from './plan.mts';
import { answerOf, inputOf, messageOf } from './says.mts';
import { setTimeout as sleep } from 'node:timers/promises';

export type Theatre = {
  readonly longhaul: Longhaul;
  readonly caller: Caller;
  readonly people: People;
  readonly expectation: Expectation;
  readonly memory: MemoryStore;
  readonly report: (wrong: string) => void;
};

/** How long a store may take to have what it is owed, when nothing disturbs it. */
const settleMs = 120_000;

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
async function attend(
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

/** Sends all messages of a conversation, clears it where the plan says so, and looks at what was kept. */
export async function playThread(
  theatre: Theatre,
  plan: ThreadPlan,
  { signal, sessionId = plan.id }: { readonly signal: AbortSignal; readonly sessionId?: string },
): Promise<void> {
  const { longhaul, caller } = theatre;
  const thread = longhaul.thread({ agent: plan.id, sessionId });
  let kept: readonly MessagePlan[] = [];
  for (const operation of plan.operations) {
    if (operation.kind === 'clear') {
      await clear(theatre, plan, thread);
      kept = [];
    } else {
      await sendBurst(theatre, thread, operation.burst, signal);
      kept = [...kept, ...operation.burst];
    }
  }
  if (plan.hasStore) await checkStore(theatre, thread, kept);
  await clear(theatre, plan, thread);
  const handle = longhaul.client.workflow.getHandle(thread.threadId);
  await caller.insist(`the end of ${plan.id}`, async () => void (await handle.result()), signal);
}

async function sendBurst(
  theatre: Theatre,
  thread: ThreadHandle,
  burst: readonly MessagePlan[],
  signal: AbortSignal,
): Promise<void> {
  const sent: { plan: MessagePlan; turn: RunHandle }[] = [];
  for (const plan of burst) {
    const send = (): Promise<RunHandle> => thread.send(messageOf(plan), { messageId: plan.name });
    sent.push({ plan, turn: await theatre.caller.insist(`sending ${plan.name}`, send, signal) });
  }
  for (const { plan, turn } of sent) {
    const end = await attend(theatre, turn, signal);
    const text = end.kind === 'complete' ? end.result.finalResponse.text : clipped(end);
    const expected = answerOf({ id: plan.name, answer: plan.answer });
    if (text !== expected)
      theatre.report(`${plan.name} came to ${clipped(text)}, expected ${clipped(expected)}`);
  }
}

/** Nothing that was said before is left in the store when the call returns. */
async function clear(
  { caller, memory, report }: Theatre,
  { id, hasStore }: ThreadPlan,
  thread: ThreadHandle,
): Promise<void> {
  await caller.insist(`clearing ${id}`, () => thread.clear());
  if (!hasStore) return;
  const left = await memory.count(thread.key);
  if (left > 0) report(`${id} has ${left} turns in its store after clear() returned`);
}

/** What the store has in the end is what was said since the last clear. */
async function checkStore(
  { memory, report }: Theatre,
  { key }: ThreadHandle,
  kept: readonly MessagePlan[],
): Promise<void> {
  const expected = kept.map((plan) => [
    messageOf(plan),
    answerOf({ id: plan.name, answer: plan.answer }),
  ]);
  const deadline = Date.now() + settleMs;
  for (;;) {
    const turns = await memory.loadTurns(key);
    const actual = turns.map(({ user, assistant }) => [user, assistant]);
    if (isDeepStrictEqual(actual, expected)) return;
    if (Date.now() > deadline)
      return report(
        `the store of ${key.sessionId} has ${clipped(actual)}, expected ${clipped(expected)}`,
      );
    await sleep(1_000);
  }
}

function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (!LonghaulError.is(error) || error.code !== code) throw error;
  };
}

function clipped(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text;
}
