// What time does to the own open inputs of an agent: waits until something is due, reminds, escalates, and closes what nobody answered.
//
// 1. There is one wait for all open inputs, with one timer at a time. Its end is the next thing that is due.
// 2. An expiry stands in the log before its effect.

import { oneLine } from '../../base/text';
import type { AgentMachine } from '../../core/machine/agent-machine';
import { answerText } from '../../core/machine/answer';
import { expiryOf } from '../../core/people/verdicts';
import type { AgentConfig, ToolConfig } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import type { PendingInput } from '../../protocol/run';
import { type Due, nextDue, passTime, type TimeRules } from './due';
import type { DrivenRun } from '../run/loaded-run';
import { waitForAnswer } from './input-wait';

type Asked = Pick<PendingInput, 'kind' | 'call'>;

export class InputTimes {
  readonly #run: DrivenRun;
  readonly #config: AgentConfig;
  readonly #machine: AgentMachine;

  constructor(
    run: DrivenRun,
    { config, machine }: { readonly config: AgentConfig; readonly machine: AgentMachine },
  ) {
    this.#run = run;
    this.#config = config;
    this.#machine = machine;
  }

  /** The deadline of an input that is asked now. People have the agent's time, and a result from elsewhere has its tool's. */
  deadline(asked: Asked, since: string): Pick<PendingInput, 'expiresAt'> {
    const ms =
      asked.kind === 'tool' ? this.#toolOf(asked)?.resultTimeoutMs : this.#config.inputTimeoutMs;
    return ms === undefined ? {} : { expiresAt: new Date(Date.parse(since) + ms).toISOString() };
  }

  /** What is due next. Undefined if all open inputs wait for ever. */
  get next(): Due | undefined {
    return nextDue(this.#pending, (input) => this.#rulesOf(input));
  }

  /** Waits for an answer. Returns what is due, if that comes first. */
  async wait(answered: () => boolean): Promise<Due | undefined> {
    return await waitForAnswer({ pending: this.#pending, due: this.next, answered });
  }

  /** Does what is due. Throws `InputTimeout` if the run cannot go on without the answer. */
  pass(due: Due): void {
    const now = Math.max(Date.now(), due.at);
    const { execution, notices } = this.#run;
    const passed = this.#pending.map((input) => ({
      input,
      ...passTime(input, this.#rulesOf(input), now),
    }));
    execution.requests.publish(passed.map(({ input }) => input));
    for (const { reason, input } of passed) {
      if (reason === 'expired') this.#expire(input);
      else if (reason !== undefined) notices.tell(reason, input);
    }
  }

  get #pending(): readonly PendingInput[] {
    return this.#run.execution.requests.ownPending;
  }

  #rulesOf(input: PendingInput): TimeRules {
    return (input.kind === 'approval' && this.#toolOf(input)?.approval) || {};
  }

  #toolOf({ call }: Asked): ToolConfig | undefined {
    return this.#config.tools.find(({ name }) => name === call?.name);
  }

  #expire(input: PendingInput): void {
    const inputId = this.#run.position.machineId(input.inputId);
    const { onInputTimeout: rule = 'fail' } = this.#config;
    this.#machine.note(expiryOf(input, { inputId, at: new Date().toISOString() }));
    if (input.kind === 'tool')
      this.#machine.complete(inputId, { value: 'Nobody gave the result in time.', isError: true });
    else if (input.kind === 'question' && rule !== 'fail')
      this.#machine.answer({ inputId, text: answerText(rule.answer) });
    else throw nobodyAnswered(input);
    this.#run.execution.requests.expire(input.inputId);
  }
}

function nobodyAnswered({ inputId, question, path }: PendingInput): LonghaulError {
  const asked = `nobody answered '${inputId}' in time: ${oneLine(question, 300)}`;
  const message = `${asked} (start again, or give it a longer inputTimeout)`;
  return new LonghaulError('InputTimeout', message, { details: { inputId, path } });
}
