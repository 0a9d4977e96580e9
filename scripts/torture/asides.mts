// What people say to agents while they work: each message that a run took is in its transcript once, or the run says that it came too late.

import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError, type Message } from 'longhaul';
import type { Longhaul, RunHandle } from 'longhaul/client';
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

  /** After the end of the run. */
  async judge({ id, asides }: TreePlan, run: RunHandle): Promise<void> {
    const { caller, report } = this.#options;
    const taken: Aside[] = [];
    for (const aside of asides) if (await this.#sent.get(aside.name)) taken.push(aside);
    if (taken.length === 0) return;
    const deadline = Date.now() + settleMs;
    for (;;) {
      const transcript = await caller.insist(`the transcript of ${id}`, () => run.transcript());
      const { rejected } = await caller.insist(`the state of ${id}`, () => run.state());
      const late = JSON.stringify(rejected);
      const wrong = taken.filter(
        ({ name }) => timesIn(transcript, name) + (late.includes(`"${name}"`) ? 1 : 0) !== 1,
      );
      if (wrong.length === 0) return;
      if (Date.now() > deadline)
        return wrong.forEach(({ name }) =>
          report(
            `${name} was taken, and is ${timesIn(transcript, name)} times in the transcript; rejected: ${late}`,
          ),
        );
      await sleep(1_000);
    }
  }
}

function timesIn(transcript: readonly Message[], name: string): number {
  const text = textOfAside({ name, afterCalls: 0, when: 'next' });
  return transcript.filter(
    ({ role, parts }) =>
      role === 'user' && parts.some((part) => part.type === 'text' && part.text === text),
  ).length;
}
