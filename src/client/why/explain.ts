// Why a run does not move, in two plain sentences: what it waits for or retries, and what to do about it. Pure.

import { age, defined, oneLine, quote } from '../../base';
import { whoMay } from '../../core/people/verdicts';
import { hasEnded, type RunStatus } from '../../protocol';
import type { Diagnosis, WaitsFor } from './diagnosis';
import type { LastPoll } from './last-poll';
import type { Retrying } from './open-calls';
import { explainVersions } from '../server/unserved';
import { endRemedy, retryRemedy } from './remedies';
import type { RunEnd } from './run-end';

/** What is known of a run. */
export type Facts = Diagnosis & {
  readonly workflowId: string;
  readonly status: RunStatus;
  readonly end: RunEnd;
  /** Somebody has asked to cancel it. */
  readonly isCancelling: boolean;
  readonly isThread: boolean;
};

/** Why a run does not move. */
export type Why = Diagnosis & {
  readonly workflowId: string;
  readonly status: RunStatus;
  /** One sentence: what the run waits for or retries, and since when; or how it ended. */
  readonly reason: string;
  /** What to do about it. Absent if nothing is to be done. */
  readonly todo?: string;
};

type Said = Pick<Why, 'reason' | 'todo'>;

const longestText = 300;

export function explain(facts: Facts, now: Date): Said {
  const { isCancelling, isThread } = facts;
  const ended = explainEnd(facts);
  if (ended !== undefined) return ended;
  const [first, ...others] = holds(facts, now);
  const cancelling = isCancelling ? 'It is being cancelled. ' : '';
  if (first === undefined) {
    if (isCancelling) return { reason: 'It is being cancelled, and ends its open work first.' };
    return {
      reason: isThread ? 'It waits for the next message.' : 'It works: nothing holds it up.',
    };
  }
  const reason = [first, ...others].map((each) => each.reason).join(' ');
  return { ...first, reason: `${cancelling}${reason}` };
}

/** What holds the run up, the most important first. */
function holds({ workflowId, retrying = [], waitsFor, lastPoll }: Facts, now: Date): Said[] {
  const [worst] = retrying.toSorted((one, other) => other.attempt - one.attempt);
  const waits = waitsFor ? [explainWait(waitsFor, { workflowId, now })] : [];
  const polled = lastPoll ? [explainLastPoll(lastPoll, now)] : [];
  if (isHeldUp(waitsFor)) return [...waits, ...polled];
  const retries = worst ? [explainRetry(worst, { workflowId, retrying, now })] : [];
  return [...polled, ...retries, ...waits];
}

/** Nothing else matters while no worker goes on with the run. */
function isHeldUp(waitsFor: WaitsFor | undefined): boolean {
  if (waitsFor?.kind === 'child') return isHeldUp(waitsFor.waitsFor);
  return waitsFor?.kind === 'worker' || waitsFor?.kind === 'deploy';
}

function explainEnd({ workflowId, status, end }: Facts): Said | undefined {
  const show = `See it with \`${command('show', workflowId)}\`.`;
  const { result, error } = end;
  if (result !== undefined)
    return { reason: `It has completed: ${sentence(result.completionReason)}` };
  if (error?.code === 'RunCancelled')
    return { reason: `It was cancelled: ${sentence(error.message)}` };
  if (error !== undefined) {
    const remedy = endRemedy({ ...error.details, code: error.code });
    const todo = remedy === undefined ? show : `${remedy} ${show}`;
    return { reason: `It has failed: ${error.code}: ${sentence(error.message)}`, todo };
  }
  if (hasEnded(status))
    return { reason: status === 'failed' ? 'It has failed.' : `It has ended: ${status}.` };
  return undefined;
}

type Around = { readonly workflowId: string; readonly now: Date };

function explainRetry(
  { what, workflowId, attempt, lastError, since, nextAt, ...error }: Retrying,
  { retrying, now, ...around }: Around & { readonly retrying: readonly Retrying[] },
): Said {
  const where = workflowId === around.workflowId ? '' : ` of run '${workflowId}'`;
  const others = retrying.length > 1 ? ` (and ${retrying.length - 1} more)` : '';
  const wait = nextAt === undefined ? 0 : Date.parse(nextAt) - now.getTime();
  const next = wait < 1_000 ? 'now' : `in ${age(now, new Date(now.getTime() + wait))}`;
  const first = since === undefined ? '' : ` (the first was ${ago(since, now)} ago)`;
  return {
    reason: `It retries ${what}${where}${others}, attempt ${attempt} ${next}${first}: ${sentence(lastError)}`,
    todo: retryRemedy(what, error),
  };
}

/** Comes before a retry: nothing goes on by itself without a worker. */
function explainLastPoll({ taskQueue, identity, at }: LastPoll, now: Date): Said {
  const start = `\`${command('worker', '--task-queue', taskQueue)}\``;
  if (identity === undefined || at === undefined)
    return {
      reason: `Its calls wait for a worker: none polls task queue '${taskQueue}'.`,
      todo: `Start one with ${start}.`,
    };
  return {
    reason: `The last worker of task queue '${taskQueue}' (${oneLine(identity, longestText)}) polled ${ago(at, now)} ago; it may be gone.`,
    todo: `Look whether it still runs, or start another with ${start}.`,
  };
}

function explainWait(waitsFor: WaitsFor, around: Around): Said {
  const { now } = around;
  switch (waitsFor.kind) {
    case 'worker':
      return explainWorker(waitsFor, around);
    case 'deploy':
      return explainDeploy(waitsFor, around);
    case 'person':
    case 'budget':
    case 'result':
      return explainInput(waitsFor, around);
    case 'slot': {
      const { what, taskQueue, since } = waitsFor;
      return {
        reason: `${capital(what)} has waited ${ago(since, now)} for a free slot of the workers on task queue '${taskQueue}'.`,
        todo: 'Start more workers or give them more slots, unless a worker was just killed: then another takes the call soon.',
      };
    }
    case 'child': {
      const { workflowId, path } = waitsFor;
      const { reason, todo } = explainWait(waitsFor.waitsFor, { ...around, workflowId });
      const isDeepest = waitsFor.waitsFor.kind !== 'child';
      return {
        reason: isDeepest ? `Run '${workflowId}' below it (${path}) waits. ${reason}` : reason,
        ...defined({ todo }),
      };
    }
  }
}

function explainWorker(
  waitsFor: WaitsFor & { readonly kind: 'worker' },
  { workflowId, now }: Around,
): Said {
  const { taskQueue, since, workers, served = [] } = waitsFor;
  if (workers === 'silent')
    return {
      reason: `It has waited ${ago(since, now)} for a worker: some poll task queue '${taskQueue}', but none takes its task.`,
      todo: 'Check that they run and are not overloaded: the server lists a killed worker for five minutes.',
    };
  const versions = explainVersions(waitsFor, workflowId);
  if (versions !== undefined)
    return {
      reason: `It has waited ${ago(since, now)} for a worker: ${versions.reason}.`,
      todo: `${capital(versions.todo)}.`,
    };
  return {
    reason: `It has waited ${ago(since, now)} for a worker: none polls task queue '${taskQueue}'.`,
    todo: `Start one with \`${command('worker', '--task-queue', taskQueue)}\`, or check which task queue yours polls${servedText(served)}.`,
  };
}

/** In brackets, for a sentence about task queues. */
export function servedText(served: readonly string[]): string {
  return served.length === 0 ? '' : ` (there are workers on ${served.map(quote).join(', ')})`;
}

function explainDeploy(
  { attempt, lastError, cause, since }: WaitsFor & { readonly kind: 'deploy' },
  { workflowId, now }: Around,
): Said {
  const tried = `attempt ${attempt} in ${ago(since, now)}`;
  if (cause === 'newer-version')
    return {
      reason: `A newer version of Longhaul has gone on with it than the workers have (${tried}): ${sentence(lastError)}`,
      todo: 'Start workers of that version on its task queue: nothing is lost meanwhile.',
    };
  if (cause === 'nondeterminism')
    return {
      reason: `The workers' code does not match its history (${tried}): ${sentence(lastError)}`,
      todo: `Deploy the version that it began with, or take it back with \`${command('reset', workflowId)}\`.`,
    };
  return {
    reason: `The workers fail to go on with it (${tried}): ${sentence(lastError)}`,
    todo: "Read the workers' log, and deploy a version that can go on: nothing is lost meanwhile.",
  };
}

function explainInput(
  input: WaitsFor & { readonly kind: 'person' | 'budget' | 'result' },
  { workflowId, now }: Around,
): Said {
  const { kind, inputId, question, since, expiresAt, by } = input;
  const whom = {
    person: 'a person',
    budget: 'a person to raise its budget',
    result: 'a result from elsewhere',
  };
  const who = by?.roles || by?.ids ? `; ${whoMay(by)} decide` : '';
  const until = expiresAt === undefined ? '' : ` until ${expiresAt}`;
  return {
    reason: `It has waited ${ago(since, now)} for ${whom[kind]}: ${question} (input ${inputId}${who}).`,
    todo: `Use \`${answerCommand(input, workflowId)}\`${until}.`,
  };
}

function answerCommand(
  { inputId, input }: WaitsFor & { readonly kind: 'person' | 'budget' | 'result' },
  workflowId: string,
): string {
  switch (input) {
    case 'approval':
      return command('answer', workflowId, '--approve', inputId);
    case 'tool':
      return command('answer', workflowId, '--complete', inputId, '{"the": "result"}');
    case 'budget':
      return command('answer', workflowId, 'amount to add, or stop', '--input-id', inputId);
    default:
      return command('answer', workflowId, 'your answer', '--input-id', inputId);
  }
}

/** People copy it. A word with characters that a shell could take otherwise loses them: then it finds no run. */
function command(...words: readonly string[]): string {
  const quoted = words.map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/['`\p{C}]/gu, '')}'`,
  );
  return ['longhaul', ...quoted].join(' ');
}

function ago(since: string, now: Date): string {
  return age(new Date(since), now);
}

function sentence(text: string): string {
  const line = oneLine(text, longestText);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
