// What a script of the table has at hand. Both engines give the same: a client, workers with the script's own code, and ids of its own.

import type { WorkflowHandle, WorkflowStartOptions } from '@temporalio/client';
import {
  type Agent,
  type AgentOptions,
  defineAgent,
  defineTool,
  type Json,
  type JsonObject,
  type Runner,
  type Tool,
  type ToolDefinition,
} from 'longhaul';
import type {
  Longhaul,
  RunHandle,
  StartOptions,
  ThreadHandle,
  ThreadOptions,
} from 'longhaul/client';
import { scriptedModel, type ScriptedStep } from 'longhaul/testing';
import type { LonghaulOptions } from 'longhaul/worker';

export type Activities = Readonly<Record<string, (args: JsonObject) => unknown>>;

/** What an engine does for one script. */
export type Place = {
  /** Part of each workflow id of the script, and of no other one. */
  readonly key: string;
  readonly longhaul: Longhaul;
  /** From now on the workers have this code. `build`: of the workflows (`next-build.ts`), for a script whose workers are its own. */
  readonly deploy: (
    options: LonghaulOptions,
    activities: Activities,
    build: number,
  ) => Promise<void>;
};

export type Script = {
  readonly name: string;
  /**
   * Which events have to be equal. `decided` (default): all but those of workflow tasks, in their order. What a real server puts into one
   * task depends on how fast it is. `all`: also workflow tasks, for a script in which one thing happens at a time. `unordered`: as
   * `decided`, in any order, for runs that do things at the same time. `ends`: only how the executions end, where what they do before
   * depends on who is faster.
   */
  readonly compare?: 'all' | 'decided' | 'unordered' | 'ends';
  /** The workers come only with the first `deploy`: until then nothing takes tasks. Each further one replaces them. */
  readonly startsUnserved?: true;
  readonly run: (kit: Kit) => Promise<unknown>;
};

export class Kit {
  readonly key: string;
  readonly longhaul: Longhaul;
  /** The workflow ids of the histories to compare, without the runs below them. */
  readonly roots: string[] = [];
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
    this.key = place.key;
    this.longhaul = place.longhaul;
  }

  async deploy(options: LonghaulOptions, activities: Activities = {}, build = 0): Promise<void> {
    await this.#place.deploy({ inlineSpecs: true, ...options }, activities, build);
  }

  /** A workflow id of the script. */
  id(name: string): string {
    const id = `${this.key}-${name}`;
    if (!this.roots.includes(id)) this.roots.push(id);
    return id;
  }

  /** Deploys the runner with the models of its agents, and starts a run. */
  async begin(
    runner: Runner,
    scripts: Scripts,
    options: StartOptions & { readonly worker?: LonghaulOptions; readonly code?: Activities } = {},
  ): Promise<RunHandle> {
    const { worker, code, ...start } = options;
    await this.deploy({ runners: [runner], providers: modelsOf(scripts), ...worker }, code);
    return await this.start(runner.id, start);
  }

  /** The run of an agent with this script. */
  async ask(
    steps: readonly ScriptedStep[],
    options: Partial<AgentOptions> = {},
  ): Promise<RunHandle> {
    return await this.begin(agent('agent', options), { agent: steps });
  }

  async start(runner: string, options: StartOptions = {}): Promise<RunHandle> {
    const workflowId = this.id('run');
    return await this.longhaul.start(runner, 'Go.', { workflowId, ...options });
  }

  /** Starts the agent `agent` as any Temporal client does, with options that ours has not. */
  async startRaw(
    options: Omit<WorkflowStartOptions, 'workflowId' | 'taskQueue' | 'args'>,
    workflowId = this.id('run'),
  ): Promise<WorkflowHandle> {
    const { client, taskQueue } = this.longhaul;
    const args = [{ runner: 'agent', input: 'Go.' }];
    return await client.workflow.start('agentWorkflow', {
      ...options,
      workflowId,
      taskQueue,
      args,
    });
  }

  thread(agent: string, options: Partial<ThreadOptions> = {}): ThreadHandle {
    const thread = this.longhaul.thread({
      agent,
      sessionId: this.key,
      appName: 'talk',
      ...options,
    });
    if (!this.roots.includes(thread.threadId)) this.roots.push(thread.threadId);
    return thread;
  }

  handle({ workflowId }: { readonly workflowId: string }): WorkflowHandle {
    return this.longhaul.client.workflow.getHandle(workflowId);
  }
}

type Scripts = Readonly<Record<string, readonly ScriptedStep[]>>;

/** A model for each agent, by the agent's id. */
export function modelsOf(scripts: Scripts): NonNullable<LonghaulOptions['providers']> {
  return Object.fromEntries(
    Object.entries(scripts).map(([name, steps]) => [name, scriptedModel(steps, { name })]),
  );
}

export function agent(id: string, options: Partial<AgentOptions> = {}): Agent {
  return defineAgent({ id, model: `${id}/one`, ...options });
}

type Definition = ToolDefinition<
  { readonly type: 'object'; readonly properties: JsonObject },
  JsonObject
>;

/** A tool that takes any arguments. */
export function tool(
  name: string,
  execute: Definition['execute'],
  options: Partial<Definition> = {},
): Tool<JsonObject> {
  const inputSchema = { type: 'object', properties: {} } as const;
  return defineTool({
    name,
    description: `Does ${name}`,
    inputSchema,
    execute,
    ...options,
  } as Definition);
}

export const call = (name: string, args: JsonObject = {}): ScriptedStep => ({
  toolCalls: [{ name, args }],
});

/** A turn of several calls. */
export const calls = (...names: readonly string[]): ScriptedStep => ({
  toolCalls: names.map((name) => ({ name, args: {} })),
});

export const askUser = (question: string): ScriptedStep => call('ask_user', { question });

/** Something waits at it until it is opened. */
export class Gate {
  #arrived = 0;
  readonly #waiting: ((value: string) => void)[] = [];
  #isOpen = false;

  readonly wait = (signal?: AbortSignal): Promise<string> => {
    this.#arrived += 1;
    if (this.#isOpen) return Promise.resolve('through');
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };

  open(): void {
    this.#isOpen = true;
    for (const resume of this.#waiting) resume('through');
  }

  async arrival(count = 1): Promise<void> {
    await eventually(`arrival ${count}`, () => this.#arrived >= count);
  }
}

/** An agent with it asks by a tool. */
export const asking = { askUser: 'tool' } as const;

/** A tool that counts in the session. */
export const note = tool(
  'note',
  (_args, { session }) => {
    session['notes'] = Number(session['notes'] ?? 0) + 1;
    return 'noted';
  },
  { session: ['notes'] },
);

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

const longestWaitMs = 60_000;

export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  const until = Date.now() + longestWaitMs;
  while (!(await check())) {
    if (Date.now() > until) throw new Error(`it was waited in vain for: ${what}`);
    await pause(30);
  }
}

/** What became of it, to compare. */
export async function ended(work: Promise<unknown>): Promise<Json> {
  try {
    return { value: (await work) as Json };
  } catch (error) {
    const { name, message, code } = error as Error & { readonly code?: Json };
    return { error: code ?? name, message };
  }
}

/** The end of a run. */
export async function endOf(run: Pick<RunHandle, 'result'>): Promise<Json> {
  return await ended(
    run.result().then(({ finalResponse, iterations, completionReason, usage, session }) => ({
      text: finalResponse.text,
      iterations,
      completionReason,
      tokens: usage.totalTokens,
      session,
    })),
  );
}

/** Waits for a run's open inputs. */
export async function inputsOf(
  run: Pick<RunHandle, 'pending'>,
  count = 1,
): Promise<readonly string[]> {
  let ids: readonly string[] = [];
  await eventually(`${count} open inputs`, async () => {
    ids = (await run.pending()).map(({ inputId }) => inputId);
    return ids.length === count;
  });
  return ids;
}
