// Handles the inputs that an agent itself asks for: publishes them, waits for an answer or a due time, sends reminders, and ends what
// nobody answered in time. `AgentLoop` calls `publish`, `wait` and `pass`, in this order. The inputs themselves are in `OpenInputs`.
//
// 1. There is one wait for all open inputs, with one timer at a time. It ends with an answer, or with the next thing that is due.
// 2. A timer runs beside each wait, with or without a deadline. Its summary is the question, so the Web UI's timeline shows it.
// 3. An expiry is in the log before its effect.

import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { defined, oneLine } from '../../base';
import type { AgentMachine } from '../../core/machine/agent-machine';
import { answerText } from '../../core/machine/answer';
import { expiryOf } from '../../core/people/verdicts';
import { plainLine } from '../../core/transcript/markdown';
import {
  type AgentConfig,
  limits,
  LonghaulError,
  type PendingInput,
  type ToolConfig,
} from '../../protocol';
import { newNonce } from '../lifecycle/execution';
import type { LoadedRun } from '../run/loaded-run';
import type { AskedInput } from './approvals';
import { type Due, nextDue, passTime, type TimeRules } from './due';
import { inputSchema } from './input-schema';
import { inputTimeout } from './open-inputs';

/** So long that it is no deadline. If it ever passes, the wait starts again. */
const noDeadline = 10 * 365 * 24 * 60 * 60 * 1_000;

export class OwnInputs {
  readonly #run: LoadedRun;
  readonly #config: AgentConfig;
  readonly #machine: AgentMachine;

  constructor(
    run: LoadedRun,
    { config, machine }: { readonly config: AgentConfig; readonly machine: AgentMachine },
  ) {
    this.#run = run;
    this.#config = config;
    this.#machine = machine;
  }

  /** Publishes the inputs that the agent waits for now. An input that is published already does not change. */
  publish(asked: readonly AskedInput[]): void {
    const { execution, position, definition, notices } = this.#run;
    const known = new Map(execution.inputs.pending.map((input) => [input.inputId, input]));
    const shared = {
      agentId: this.#config.id,
      path: position.path,
      since: new Date().toISOString(),
    };
    execution.inputs.publish(
      asked.map((input) => {
        const inputId = position.inputId(input.inputId);
        const open = known.get(inputId);
        if (open !== undefined) return open;
        const schema = inputSchema(input, this.#config, definition.definition);
        const expiresAt = this.#deadline(input, shared.since);
        const deadline = defined({ expiresAt });
        return { ...input, ...schema, inputId, ...shared, ...deadline, nonce: newNonce() };
      }),
    );
    notices.follow();
  }

  /** The agent has a time limit for people. A tool has one for results from elsewhere. */
  #deadline(asked: Pick<PendingInput, 'kind' | 'call'>, since: string): string | undefined {
    const ms =
      asked.kind === 'tool' ? this.#toolOf(asked)?.resultTimeoutMs : this.#config.inputTimeoutMs;
    return ms === undefined ? undefined : new Date(Date.parse(since) + ms).toISOString();
  }

  /** What is due next. Undefined if all open inputs wait for ever. */
  get next(): Due | undefined {
    return nextDue(this.#pending, (input) => this.#rulesOf(input));
  }

  /** Waits for an answer. Returns what is due, if that comes first. */
  async wait(answered: () => boolean): Promise<Due | undefined> {
    const due = this.next;
    const end = due ?? endOfTime(this.#pending);
    if (end === undefined) {
      await condition(answered);
      return undefined;
    }
    const timer = new CancellationScope();
    const summary = plainLine(end.input.question, limits.summary);
    const expiry = timer
      .run(() => sleep(Math.max(1, end.at - Date.now()), { summary }))
      .then(() => due);
    expiry.catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
    try {
      return await Promise.race([expiry, condition(answered).then(() => undefined)]);
    } finally {
      timer.cancel();
    }
  }

  /** Does what is due. Throws `InputTimeout` if the run cannot go on without the answer. */
  pass(due: Due): void {
    const now = Math.max(Date.now(), due.at);
    const { execution, notices } = this.#run;
    const passed = this.#pending.map((input) => ({
      input,
      ...passTime(input, this.#rulesOf(input), now),
    }));
    execution.inputs.publish(passed.map(({ input }) => input));
    for (const { reason, input } of passed) {
      if (reason === 'expired') this.#expire(input);
      else if (reason !== undefined) notices.notify(reason, input);
    }
  }

  get #pending(): readonly PendingInput[] {
    return this.#run.execution.inputs.ownPending;
  }

  #rulesOf(input: PendingInput): TimeRules {
    return (input.kind === 'approval' && this.#toolOf(input)?.approval) || {};
  }

  #toolOf({ call }: Pick<PendingInput, 'call'>): ToolConfig | undefined {
    return this.#config.tools.find(({ name }) => name === call?.name);
  }

  #expire(input: PendingInput): void {
    const { execution, position } = this.#run;
    const inputId = position.machineId(input.inputId);
    const { onInputTimeout: rule = 'fail' } = this.#config;
    this.#machine.note(expiryOf(input, { inputId, at: new Date().toISOString() }));
    if (input.kind === 'tool')
      this.#machine.complete(inputId, { value: 'Nobody gave the result in time.', isError: true });
    else if (input.kind === 'question' && rule !== 'fail')
      this.#machine.answer({ inputId, text: answerText(rule.answer) });
    else throw nobodyAnswered(input);
    execution.inputs.close(input.inputId, inputTimeout);
  }
}

function endOfTime(pending: readonly PendingInput[]): Due | undefined {
  const [input] = [...pending].sort((left, right) => left.since.localeCompare(right.since));
  return input && { at: Date.parse(input.since) + noDeadline, input };
}

function nobodyAnswered({ inputId, question, path }: PendingInput): LonghaulError {
  const asked = `nobody answered '${inputId}' in time: ${oneLine(question, 300)}`;
  const message = `${asked} (start again, or give it a longer inputTimeout)`;
  return new LonghaulError('InputTimeout', message, { details: { inputId, path } });
}
