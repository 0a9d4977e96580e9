// Runs the trees of a round and holds what they come to against the expectation.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { hasCode, LonghaulError, type Message } from 'longhaul';
import type { AgentRunResult, Longhaul, RunHandle, StartOptions } from 'longhaul/client';
import type { MemoryStore, SessionStore } from 'longhaul/stores';
import type { Asides } from './asides.mts';
import { askAgain, type Caller } from './client.mts';
import { differenceOf, type Expectation, type Outcome } from './expect.mts';
import { limits } from './limits.mts';
import { payload, shownPicture } from './payload.mts';
import { requester, type People } from './people.mts';
import type { TreePlan } from './plan.mts';
import type { Rolls } from './rolls.mts';
import { contextOf, givenOf, inputOf, isAside, stateKeyOf, storedOf } from './texts.mts';
import { Watcher } from './watch.mts';

export type TortureSetup = {
  readonly longhaul: Longhaul;
  readonly caller: Caller;
  readonly people: People;
  readonly asides: Asides;
  readonly expectation: Expectation;
  readonly rolls: Rolls;
  readonly memory: MemoryStore;
  readonly sessions: SessionStore;
  /** Whether it was taken back, so that it did some of it more than once. */
  readonly wasReset: (workflowId: string) => boolean;
  /** What a run came to is what it stays; false when it was taken back meanwhile. */
  readonly settles: (owner: string, ended?: string) => Promise<boolean>;
  /** From now on it may be reset again. */
  readonly goesOn: (owner: string) => void;
  readonly report: (wrong: string) => void;
  /** The codes by which starts over a limit were refused. */
  readonly refusals: string[];
};

/** How long a store may take to have what it is owed, when nothing disturbs it. */
export const settleMs = 120_000;

type Failed = { readonly kind: 'failed'; readonly code: string; readonly message: string };

type End = { readonly kind: 'complete'; readonly result: AgentRunResult } | Failed;

/** Starts the run, answers all it asks, and judges its end. */
export async function runTree(
  setup: TortureSetup,
  tree: TreePlan,
  {
    signal,
    workflowId: id = tree.id,
  }: { readonly signal: AbortSignal; readonly workflowId?: string },
): Promise<void> {
  const { longhaul, caller } = setup;
  const { root } = tree;
  const run = longhaul.run(id);
  if (tree.isAtLimits) await checkRefusals(setup, tree);
  await caller
    .insist(`the start of ${id}`, () =>
      longhaul.start(root.id, inputOf(tree), { ...startOptionsOf(tree), workflowId: id }),
    )
    .catch(ignoring('RunAlreadyExists'));
  const watcher = tree.isWatched ? new Watcher(run, setup.report) : undefined;
  signal.addEventListener('abort', () => watcher?.stop(), { once: true });
  let end = await answerUntilEnd(setup, run, signal);
  while (!(await setup.settles(id))) end = await answerUntilEnd(setup, run, signal);
  judgeTree(setup, tree, end);
  const handle = longhaul.client.workflow.getHandle(id);
  const isClosed = (): Promise<boolean> =>
    caller.insist(`the end of ${id}`, async () => {
      const { status } = await handle.describe();
      return status.name !== 'RUNNING';
    });
  await watcher?.judge(!setup.wasReset(id), { withinMs: settleMs, isClosed });
  if (!setup.wasReset(id)) await setup.asides.judge(tree, run);
  if (tree.hasState) await judgeState(setup, tree, end);
  if (end.kind !== 'complete' || root.kind !== 'agent') return;
  await judgeTranscript(setup, root.id, {
    workflowId: id,
    read: () => caller.insist(`the transcript of ${id}`, () => run.transcript(), signal),
  });
}

function startOptionsOf(tree: TreePlan): StartOptions {
  return {
    by: requester,
    ...(tree.hasState && { key: stateKeyOf(tree) }),
    ...(tree.given && { session: givenOf(tree) }),
    ...(tree.context && { context: contextOf(tree) }),
    ...(tree.budget && { budget: { maxTokens: tree.budget.tokens } }),
  };
}

/** What has a byte too many is refused by its code, and nothing starts. */
async function checkRefusals(setup: TortureSetup, tree: TreePlan): Promise<void> {
  const { longhaul, caller, report, refusals } = setup;
  const longer = (bytes: number) => payload('too long', { bytes, deflates: false });
  const refused = [
    ['PayloadTooLarge', longer(limits.input - 1), {}],
    ['SessionTooLarge', 'x', { session: { a: longer(limits.session - '{"a":""}'.length + 1) } }],
    ['PayloadTooLarge', 'x', { context: { a: longer(limits.context - '{"a":""}'.length + 1) } }],
  ] as const;
  for (const [index, [code, input, options]] of refused.entries()) {
    const workflowId = `${tree.id}.over${index}`;
    const start = () => longhaul.start(tree.root.id, input, { ...options, workflowId });
    try {
      await caller.insist(`the start of ${workflowId}`, start);
      report(`${workflowId} was started though it is over a limit: expected ${code}`);
    } catch (error) {
      if (hasCode(error, code)) refusals.push(code);
      else report(`${workflowId} was refused with ${String(error)}, not ${code}`);
    }
  }
}

/** Answers what the run asks until it ends. */
export async function answerUntilEnd(
  { caller, people }: TortureSetup,
  run: RunHandle,
  signal: AbortSignal,
): Promise<End> {
  try {
    for (;;) {
      const outcome = await caller.insist(
        `the outcome of ${run.workflowId}`,
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

/** A raw reset may forget that the run was cancelled, but not that the runs below it were. */
const isCancelled = ({ code, message }: Failed, wasReset: boolean): boolean =>
  code === 'RunCancelled' || (wasReset && message.includes('RunCancelled'));

function judgeTree(setup: TortureSetup, tree: TreePlan, end: End): void {
  const { expectation, people, report, wasReset } = setup;
  const expected = expectation.ends.get(tree.id);
  if (expected === undefined) return report(`${tree.id} is in no plan`);
  const { failures, outcomes, asksForBudget } = expected;
  if (
    tree.cancelAfter !== undefined &&
    end.kind === 'failed' &&
    isCancelled(end, wasReset(tree.id))
  )
    return;
  const asked = people.budgetQuestions(tree.id);
  if (asksForBudget !== undefined && asked !== asksForBudget && !wasReset(tree.id))
    report(`${tree.id} asked ${asked} times for budget, expected ${asksForBudget}`);
  if (end.kind === 'failed') {
    if (failures.some((code) => code === end.code)) return;
    return report(`${tree.id} failed with ${end.code}: ${end.message}`);
  }
  if (outcomes.some((outcome) => isDeepStrictEqual(outcomeOf(end.result, outcome), outcome)))
    return;
  const actual = outcomeOf(end.result, outcomes[0]);
  report(`${tree.id} came to ${clipped(actual)}, expected ${outcomes.map(clipped).join(' or ')}`);
}

function outcomeOf(
  { finalResponse: { text }, combinedText, session, usage }: AgentRunResult,
  expected: Outcome | undefined,
): object {
  return {
    text,
    ...(combinedText !== undefined && { combinedText }),
    session,
    ...(expected?.tokens !== undefined && { tokens: usage.totalTokens }),
  };
}

/** The session is saved as the run left it, a moment after the outcome is there; a run that fails leaves it as it was. */
async function judgeState(setup: TortureSetup, tree: TreePlan, end: End): Promise<void> {
  const { sessions, report, wasReset } = setup;
  if (end.kind === 'failed' && (end.code === 'RunCancelled' || wasReset(tree.id))) return;
  const expected = end.kind === 'failed' ? storedOf(tree).session : end.result.session;
  const deadline = Date.now() + settleMs;
  for (;;) {
    const actual = await askAgain(() => sessions.load(stateKeyOf(tree)));
    if (isDeepStrictEqual(actual, expected)) return;
    if (Date.now() > deadline)
      return report(`the store has for ${tree.id} ${clipped(actual)}, not ${clipped(expected)}`);
    await sleep(1_000);
  }
}

/** While no worker answers in time it comes from history alone, which has not all of it: then it is read again. */
async function judgeTranscript(
  { expectation, report, longhaul, rolls }: TortureSetup,
  agent: string,
  {
    workflowId,
    read,
  }: { readonly workflowId: string; readonly read: () => Promise<readonly Message[]> },
): Promise<void> {
  const conversation = expectation.conversations.get(agent);
  if (conversation?.answer === undefined) return;
  const answer = { role: 'assistant' as const, text: conversation.answer };
  // It is given again where a person said something after it.
  const isAnswer = ({ role, text }: Spoken): boolean =>
    role === answer.role && text === answer.text;
  const deadline = Date.now() + settleMs;
  for (;;) {
    const messages = await Promise.all(
      (await read()).map((message) => inFull(longhaul, workflowId, message)),
    );
    const all = messages.filter(({ role }) => role !== 'system').flatMap(spoken);
    const last = all.findLastIndex(isAnswer);
    const said = all.filter(
      (each, index) => !isAsideMessage(each) && (!isAnswer(each) || index === last),
    );
    const difference =
      differenceOf(said, [...conversation.messages, answer]) ??
      (conversation.window === undefined ? rolls.problem(agent, said) : undefined);
    if (difference === undefined) return;
    if (Date.now() > deadline) return report(`the transcript of ${agent}: ${difference}`);
    await sleep(1_000);
  }
}

type Spoken = { readonly role: string; readonly text: string };

const isAsideMessage = ({ role, text }: Spoken): boolean => role === 'user' && isAside(text);

/** With the bytes of what is in the result store; the head of a long result stays. */
async function inFull(longhaul: Longhaul, workflowId: string, message: Message): Promise<Message> {
  if (message.role === 'user')
    return { ...message, parts: await partsInFull(longhaul, workflowId, message.parts) };
  if (message.role !== 'tool') return message;
  const parts = message.parts.map(async (result) => {
    const content = result.content.map((part) => mediaInFull(longhaul, workflowId, part));
    return { ...result, content: await Promise.all(content) };
  });
  return { ...message, parts: await Promise.all(parts) };
}

/** What somebody said, with the bytes of what is in the result store. */
export async function partsInFull(
  longhaul: Longhaul,
  workflowId: string,
  parts: readonly UserPart[],
): Promise<readonly UserPart[]> {
  const filled = parts.map(async (part): Promise<UserPart> => {
    if (part.type === 'media') return await mediaInFull(longhaul, workflowId, part);
    if (part.stored === undefined) return part;
    return { type: 'text', text: await contentOf(longhaul, workflowId, part.stored, 'utf8') };
  });
  return await Promise.all(filled);
}

async function mediaInFull<Part extends UserPart | ToolContent>(
  longhaul: Longhaul,
  workflowId: string,
  part: Part,
): Promise<Part> {
  if (part.type !== 'media' || part.source.kind !== 'stored') return part;
  const data = await contentOf(longhaul, workflowId, part.source, 'base64');
  return { ...part, source: { kind: 'base64', data } };
}

async function contentOf(
  longhaul: Longhaul,
  workflowId: string,
  stored: Stored,
  encoding: 'utf8' | 'base64',
): Promise<string> {
  const bytes = await askAgain(() => longhaul.content(workflowId, stored));
  return Buffer.from(bytes).toString(encoding);
}

function spoken(message: Message): readonly Spoken[] {
  if (message.role === 'tool')
    return message.parts.map(({ content }) => ({
      role: 'tool',
      text: content.map(textOf).join('\n'),
    }));
  const texts = message.parts.map((part) => {
    if (part.type === 'tool_call') return `${part.name}(${JSON.stringify(part.args)})`;
    return part.type === 'text' || part.type === 'media' ? textOf(part) : `[${part.type}]`;
  });
  return [{ role: message.role, text: texts.join('\n') }];
}

type UserPart = Extract<Message, { role: 'user' }>['parts'][number];
type ToolContent = Extract<Message, { role: 'tool' }>['parts'][number]['content'][number];
type Stored = Parameters<Longhaul['content']>[1];

function textOf(part: ToolContent | UserPart): string {
  if (part.type === 'text') return part.text;
  const isPicture = part.type === 'media' && part.source.kind === 'base64';
  return isPicture ? shownPicture(part.source.data) : JSON.stringify(part);
}

function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (!LonghaulError.is(error) || error.code !== code) throw error;
  };
}

export function clipped(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text;
}
