// What a case is: a runner, a scripted model, and what people do meanwhile. And the parts that many cases are made of.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  defineAgent,
  subAgent,
  type Agent,
  type AgentOptions,
  type RunInput,
  type Runner,
} from 'longhaul';
import type {
  ConnectOptions,
  Longhaul,
  RunHandle,
  StartOptions,
  ThreadHandle,
  ThreadOptions,
} from 'longhaul/client';
import type { ScriptedStep } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { lookUp, refund, remember, unreliable } from './tools.mts';

/** What the people of a case can reach. */
export type Stage = {
  readonly longhaul: Longhaul;
  /** Resolves when the models of the case have been asked so many times. Default 1. */
  readonly modelCalled: (times?: number) => Promise<void>;
  /** Records another execution, too. */
  readonly also: (workflowId: string, runId: string) => void;
  /** A worker of the case, on its task queue. */
  readonly worker: (options?: Partial<CreateWorkerOptions>) => Promise<StageWorker>;
};

export type StageWorker = {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
};

export type Recorded = Stage & { readonly run: RunHandle };

/** What a case has beside the runner. Such a case has a task queue and a client of its own. */
export type OwnParts = {
  readonly worker?: Partial<CreateWorkerOptions>;
  readonly client?: Partial<ConnectOptions>;
  readonly close?: () => Promise<void>;
};

export type Case = {
  readonly runner: Runner;
  /** One script for all its agents, which then have the case's name as their provider. Or one for each provider `<case>-<key>`. */
  readonly steps: readonly ScriptedStep[] | Readonly<Record<string, readonly ScriptedStep[]>>;
  readonly input?: RunInput['input'];
  readonly options?: StartOptions;
  readonly meanwhile?: (recorded: Recorded) => Promise<unknown>;
  /** A conversation, in place of a run. */
  readonly talk?: (thread: ThreadHandle, stage: Stage) => Promise<unknown>;
  readonly thread?: Partial<ThreadOptions>;
  /** Starts what is recorded by itself. Returns its workflow id. */
  readonly play?: (stage: Stage) => Promise<string>;
  /** `scratch`: a folder for what it keeps. */
  readonly own?: (scratch: string) => OwnParts;
  /** Whoever starts it knows only the id: any kind of runner is then of the type for agents. */
  readonly isById?: true;
  /** The case starts its workers itself. */
  readonly startsWorkers?: true;
  /** Not all steps of its script are asked for. */
  readonly isCut?: true;
  /** Which histories are kept. Default: all, with those of the runs below. */
  readonly keeps?: 'own' | 'last';
};

/** The namespace without search attributes, for a case's own parts. */
export const bareNamespace = 'bare';

export type Cases = { readonly [name: string]: Case };

export const lookUpCall = (word: string) => ({ name: 'look_up', args: { word } });

export const callOf = (name: string, args: Record<string, never> | object = {}): ScriptedStep => ({
  toolCalls: [{ name, args: args as never }],
});

export const ask = (question: string, options?: readonly string[]): ScriptedStep =>
  callOf('ask_user', { question, ...(options && { options: [...options] }) });

export function agent(name: string, options: Partial<AgentOptions> = {}): Agent {
  return defineAgent({
    id: name,
    model: `${name}/scripted`,
    instructions: 'Be brief.',
    tools: [lookUp, refund, unreliable, remember],
    ...options,
  });
}

/** Agents of one case, which speak by its one script. */
export function cast(
  name: string,
  ids: readonly string[],
  options: Partial<AgentOptions> = {},
): readonly Agent[] {
  return ids.map((id) => agent(`${name}-${id}`, { model: `${name}/scripted`, ...options }));
}

/** An agent that is called as a tool, which speaks by the case's one script. */
export function research(name: string, options: Partial<AgentOptions> = {}) {
  const [callee] = cast(name, ['callee'], options) as [Agent];
  return subAgent(callee, { name: 'research', description: 'Researches' });
}

export const researchCall = callOf('research', { input: 'Trees.' });

export const ada = { id: 'ada', roles: ['clerk'] };
export const bob = { id: 'bob', roles: ['boss'] };

/** Waits for the next pause, and answers a question. */
export async function answer({ run }: Recorded, text: string): Promise<void> {
  await run.outcome();
  await run.resume(text);
}

/** The id of the first open input. */
export async function firstInput(run: Pick<RunHandle, 'outcome'>): Promise<string> {
  const outcome = await run.outcome();
  if (outcome.kind !== 'needs-input') throw new Error('the run waits for nothing');
  return outcome.inputId;
}

/** The ids of at least so many open inputs. */
export async function openInputs(
  of: Pick<RunHandle, 'pending'>,
  count: number,
): Promise<readonly string[]> {
  for (;;) {
    const pending = await of.pending();
    if (pending.length >= count) return pending.map(({ inputId }) => inputId);
    await sleep(50);
  }
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
