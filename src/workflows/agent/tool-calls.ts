// Makes an agent's tool calls. A tool is our activity that runs the tool's code, the user's own activity, or another agent.
//
// 1. A call that our own activity does not run costs one more activity for each hook. Only agents with callbacks that have hooks pay for
//    it. Each hook sees the session as the step before it left it. A call that ends the run has no hooks after it.
// 2. The user's own activity never gets arguments that do not match the schema. If a person or a repair changed a call, the arguments are
//    checked before it runs.
// 3. A called agent is a child workflow. Its final text is the result, and its session changes are a delta.

import { sleep } from '@temporalio/workflow';
import { defined, type JsonObject, utf8Length } from '../../base';
import type { AgentMachine } from '../../core/machine/agent-machine';
import { mergeDelta, sessionDelta } from '../../core/session';
import { plainLine } from '../../core/transcript/markdown';
import { toToolOutput } from '../../core/transcript/tool-output';
import {
  type ActivityToolSpec,
  type AgentConfig,
  type CallToolInput,
  type CheckArgumentsResult,
  limits,
  type PendingToolCall,
  type RunToolHooksInput,
  type SubAgentConfig,
  timeouts,
  type ToolConfig,
  type ToolHook,
} from '../../protocol';
import {
  checkActivities,
  foreignActivity,
  hookActivities,
  toolActivities,
} from '../activity-proxies';
import { TaskPayloadBudget } from '../lifecycle/task-payload-budget';
import { argumentText, deferredInputId } from '../../core/machine/questions';
import type { LoadedRun } from '../run/loaded-run';
import { selectKeys } from '../run/run-session';
import {
  argumentsOf,
  checkedArguments,
  contextInput,
  iterationInput,
  toolCallKeys,
  wasAsked,
} from './call-inputs';
import {
  begun,
  errorOutcome,
  failedAgentCall,
  failedToolCall,
  isNotRegistered,
  resultOutcome,
  type ToolOutcome,
} from './tool-outcome';

/** `hasBegun`: the first attempt of the call was inline. */
export type StartedCall = PendingToolCall & { readonly hasBegun: boolean };

/** Makes the call itself. It gets the session as the hooks before the call left it. */
type Call = (session: JsonObject) => Promise<ToolOutcome>;

export class ToolCalls {
  readonly #run: LoadedRun;
  readonly #config: AgentConfig;
  readonly #machine: AgentMachine;
  readonly #agents: ReadonlyMap<string, SubAgentConfig>;
  readonly #budget = new TaskPayloadBudget(limits.toolCallBytes);

  constructor(run: LoadedRun, { config, machine }: { config: AgentConfig; machine: AgentMachine }) {
    this.#run = run;
    this.#config = config;
    this.#machine = machine;
    this.#agents = new Map((config.subAgents ?? []).map((agent) => [agent.name, agent]));
  }

  /** How many calls run at once. */
  get concurrency(): number {
    const { toolConcurrency = limits.toolConcurrency } = this.#config;
    return Math.min(toolConcurrency, limits.maxToolConcurrency);
  }

  /** True if the results of more calls would not fit. The user's own activity may return as much as a whole payload. */
  isFull(running: number): boolean {
    const isForeign = this.#config.tools.some((tool) => tool.activity !== undefined);
    return this.#run.execution.history.isFull(running * (isForeign ? 4 : 1));
  }

  /** `waiting`: the calls that have not started yet. */
  async make(pending: StartedCall, waiting: readonly StartedCall[]): Promise<ToolOutcome> {
    const { name } = pending.call;
    const agent = this.#agents.get(name);
    if (agent !== undefined) {
      const others = waiting.filter(({ call }) => this.#agents.has(call.name)).length;
      return await this.#callAgent(agent, pending, others + 1);
    }
    const tool = this.#config.tools.find((candidate) => candidate.name === name);
    if (tool === undefined) return errorOutcome(pending, `There is no tool '${name}'.`);
    return await this.#callTool(pending.hasBegun ? lessOneAttempt(tool) : tool, pending);
  }

  async #callTool(tool: ToolConfig, pending: PendingToolCall): Promise<ToolOutcome> {
    const bytes = utf8Length(JSON.stringify(pending.call.args));
    if (bytes > limits.toolArguments) {
      return errorOutcome(
        pending,
        `The arguments have ${bytes} bytes; at most ${limits.toolArguments} are taken.`,
      );
    }
    const { activity } = tool;
    try {
      if (tool.result === 'client')
        return await this.#callElsewhere(pending, () => Promise.resolve(begun(pending)));
      if (activity === undefined) return await this.#callOwn(tool, pending);
      return await this.#callElsewhere(pending, () => this.#callForeign(tool, activity, pending));
    } catch (error) {
      return failedToolCall(pending, tool, error);
    }
  }

  async #callOwn(tool: ToolConfig, pending: PendingToolCall): Promise<ToolOutcome> {
    const session = selectKeys(this.#run.session.value, toolCallKeys(this.#config, tool));
    const input = this.#input(pending, session, tool);
    const { tokens } = this.#run.execution;
    if (input.inputId !== undefined) tokens.begin(input.inputId);
    try {
      const answer = await whereRegistered(async (isElsewhere) => {
        await this.#budget.enter(input);
        return await toolActivities(tool, summaryOf(pending), isElsewhere).callTool(input);
      });
      return 'tokens' in answer ? begun(pending, answer) : { kind: 'result', ...answer };
    } finally {
      if (input.inputId !== undefined) tokens.ended(input.inputId);
    }
  }

  /** Makes a call that none of our activities makes: checks its arguments here, and runs the hooks around it. */
  async #callElsewhere(
    pending: PendingToolCall,
    call: () => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    const around = this.#hooksAround(pending);
    const checked = checkedArguments(pending, this.#run.log);
    const { problem } = checked ?? (await this.#checkArguments(pending));
    return problem === undefined ? await around(call) : errorOutcome(pending, problem);
  }

  async #callForeign(
    tool: ToolConfig,
    activity: ActivityToolSpec,
    pending: PendingToolCall,
  ): Promise<ToolOutcome> {
    try {
      const args = pending.call.args ?? {};
      await this.#budget.enter(args);
      const result = await foreignActivity(tool, activity, summaryOf(pending))(args);
      return resultOutcome(pending, toToolOutput(tool.name, result));
    } catch (error) {
      return failedToolCall(pending, tool, error);
    }
  }

  async #checkArguments({ call }: PendingToolCall): Promise<CheckArgumentsResult> {
    const { definition } = this.#run.address;
    const input = { definition, tool: call.name, args: call.args ?? {} };
    await this.#budget.enter(input);
    return await checkActivities.checkArguments(input);
  }

  /** `among`: how many calls of the turn, with this one, share the remaining budget. */
  async #callAgent(
    agent: SubAgentConfig,
    pending: PendingToolCall,
    among: number,
  ): Promise<ToolOutcome> {
    const { name, runner, kind, policy } = agent;
    const own = this.#run.session.value;
    const around = this.#hooksAround(pending);
    const input = pending.call.args?.['input'];
    if (typeof input !== 'string' || input.trim() === '') {
      return errorOutcome(pending, `The arguments of '${name}' must be {"input": "<text>"}.`);
    }
    return await around(async (session) => {
      const place = `${name}.${pending.turn}.${pending.index}`;
      try {
        const { finalResponse, delta } = await this.#run.children.call({
          runner,
          ...defined({ kind, policy }),
          place,
          work: place,
          element: name,
          input,
          session,
          isSessionStable: session === own,
          isSubAgentCall: true,
          among,
        });
        const output = toToolOutput(name, finalResponse.text);
        return { ...resultOutcome(pending, output), session: delta };
      } catch (error) {
        return failedAgentCall(pending, agent, error);
      }
    });
  }

  /** Makes a call with the hooks around it. They start from the current session. */
  #hooksAround(pending: PendingToolCall): (call: Call) => Promise<ToolOutcome> {
    const session = this.#run.session.value;
    const { toolHooks: hooks = [] } = this.#config;
    if (hooks.length === 0) return (call) => call(session);
    return async (call) => {
      try {
        return await this.#callWithHooks(pending, { hooks, session, call });
      } catch (error) {
        return { kind: 'failed', error };
      }
    };
  }

  async #callWithHooks(
    pending: PendingToolCall,
    {
      hooks,
      session: before,
      call,
    }: { readonly hooks: readonly ToolHook[]; readonly session: JsonObject; readonly call: Call },
  ): Promise<ToolOutcome> {
    let session = before;
    const ask = async (hook: ToolHook, subject: Pick<RunToolHooksInput, 'output'> = {}) => {
      if (!hooks.includes(hook)) return undefined;
      const { runToolHooks } = hookActivities(`#${pending.turn} ${hook} ${pending.call.name}`);
      const keys = selectKeys(session, this.#config.callbackSession);
      const input = { ...this.#input(pending, keys), ...subject };
      await this.#budget.enter(input);
      const answer = await runToolHooks(input);
      if (answer.session !== undefined) session = mergeDelta(session, answer.session);
      return answer.output && resultOutcome(pending, answer.output);
    };
    let outcome: ToolOutcome | undefined = await ask('beforeToolCall');
    if (outcome === undefined) {
      outcome = await call(session);
      if (outcome.kind === 'failed') return outcome;
      if (outcome.session !== undefined) session = mergeDelta(session, outcome.session);
      if (outcome.kind === 'result') {
        const { isError, content } = outcome.entry.result;
        outcome = (await ask('afterToolCall', { output: { isError, content } })) ?? outcome;
      }
    }
    return { ...outcome, session: sessionDelta(before, session) };
  }

  /** `session`: the keys that the tool or hook declares. */
  #input(
    pending: PendingToolCall,
    session: JsonObject | undefined,
    tool?: ToolConfig,
  ): CallToolInput {
    const { execution, position, input, log } = this.#run;
    const { call, turn, index } = pending;
    return {
      ...this.#run.address,
      origin: position.origin,
      ...iterationInput(this.#config, this.#machine.iterations),
      ...contextInput(input.context),
      turn,
      index,
      callId: call.callId,
      tool: call.name,
      ...defined({
        session,
        onceIn: tool?.effect === 'once' ? execution.info.runId : undefined,
        inputId: tool?.result === 'later' ? position.inputId(deferredInputId(pending)) : undefined,
        wasAsked: (tool?.needsApproval === 'ask' && wasAsked(pending, log)) || undefined,
      }),
      ...argumentsOf(pending, log),
    };
  }
}

function lessOneAttempt(tool: ToolConfig): ToolConfig {
  const { maximumAttempts = limits.toolAttempts } = tool.retry ?? {};
  return { ...tool, retry: { ...tool.retry, maximumAttempts: Math.max(1, maximumAttempts - 1) } };
}

function summaryOf({ call, turn }: PendingToolCall): string {
  return `#${turn} ${call.name} ${plainLine(argumentText(call), limits.summary)}`;
}

/** The pause is short, because a worker with the code may be running: the other one was just faster. */
const shortestPauseMs = 100;

/**
 * A worker may lack the tool's code or run another application. It leaves the call to another worker of a rolling deploy. That does not
 * count as an attempt of the tool.
 */
async function whereRegistered<Result>(
  call: (isElsewhere: boolean) => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + timeouts.definitionSearch;
  for (let tries = 0; ; tries += 1) {
    try {
      return await call(tries > 0);
    } catch (error) {
      if (!isNotRegistered(error) || Date.now() >= deadline) throw error;
      await sleep(Math.min(timeouts.searchPause, shortestPauseMs * 2 ** tries));
    }
  }
}
