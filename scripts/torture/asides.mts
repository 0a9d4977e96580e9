// What people say to agents while they work: each message that a run took is in its transcript once, or the run says that it came too late.

import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError, type Message } from 'longhaul';
import type { Longhaul, RunHandle, RunState } from 'longhaul/client';
import type { Caller } from './client.mts';
import { requester } from './people.mts';
import type { Aside, TreePlan } from './plan.mts';
import { textOfAside } from './texts.mts';

/** The run takes no more messages, or never took any. */
const refusals: readonly string[] = ['RunClosed', 'RunFull', 'RunNotFound', 'NotWaiting'];
const settleMs = 60_000;

export type AsidesOptions = {
  readonly longhaul: Longhaul;
  readonly caller: Caller;
  readonly report: (wrong: string) => void;
};

export class Asides {
  readonly #options: AsidesOptions;
  readonly #sent = new Map<string, Promise<boolean>>();
  taken = 0;

  constructor(options: AsidesOptions) {
    this.#options = options;
  }

  /** So many model calls of the tree have come in. */
  see({ id, asides }: TreePlan, calls: number): void {
    for (const aside of asides.filter(({ afterCalls }) => afterCalls === calls))
      this.#sent.set(aside.name, this.#send(id, aside));
  }

  /** Whether the run took it. */
  async #send(workflowId: string, aside: Aside): Promise<boolean> {
    const { longhaul, caller, report } = this.#options;
    const { name, when } = aside;
    const send = () =>
      longhaul.run(workflowId).send(textOfAside(aside), { when, messageId: name, by: requester });
    try {
      await caller.insist(`sending ${name}`, send);
      this.taken += 1;
      return true;
    } catch (error) {
      if (!LonghaulError.is(error) || !refusals.includes(error.code))
        report(`${name} was refused with ${String(error)}`);
      return false;
    }
  }

  /** After the end of the run. One that completes gives its model each message first: none of these has a budget, or too few turns. */
  async judge({ id, asides }: TreePlan, run: RunHandle): Promise<void> {
    const { caller, report } = this.#options;
    const taken: Aside[] = [];
    for (const aside of asides) if (await this.#sent.get(aside.name)) taken.push(aside);
    if (taken.length === 0) return;
    const deadline = Date.now() + settleMs;
    for (;;) {
      const transcript = await caller.insist(`the transcript of ${id}`, () => run.transcript());
      const state = await caller.insist(`the state of ${id}`, () => run.state());
      const wrong = taken.filter(({ name }) => {
        const times = timesIn(transcript, name);
        return isLate(state, name) ? times !== 0 || state.status === 'completed' : times !== 1;
      });
      if (wrong.length === 0) return;
      if (Date.now() > deadline) {
        const end = `the run is ${state.status}, rejected: ${JSON.stringify(state.rejected)}`;
        return wrong.forEach(({ name }) =>
          report(
            `${name} was taken, and is ${timesIn(transcript, name)} times in the transcript; ${end}`,
          ),
        );
      }
      await sleep(1_000);
    }
  }
}

/** Whether the run says that it ended before its model got the message. */
export function isLate({ rejected }: Pick<RunState, 'rejected'>, name: string): boolean {
  return rejected.some(
    ({ signal, code, message }) =>
      signal === 'send' && code === 'RunClosed' && message.includes(`'${name}'`),
  );
}

function timesIn(transcript: readonly Message[], name: string): number {
  const text = textOfAside({ name, afterCalls: 0, when: 'next' });
  return transcript.filter(
    ({ role, parts }) =>
      role === 'user' && parts.some((part) => part.type === 'text' && part.text === text),
  ).length;
}
