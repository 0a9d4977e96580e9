// The client of one version, in a process of its own. It runs from the folder of that version. Usage: client.mts '<JSON of ClientSettings>'
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type PendingInput, type RunHandle, type ThreadHandle } from 'longhaul/client';
import { SqliteStores } from 'longhaul/stores';
import type { Case, RunCase, ThreadCase } from './cases.mts';

export type ClientSettings = {
  readonly address: string;
  readonly taskQueue: string;
  readonly hub: string;
  readonly store: string;
};
/** `tag` names the run or the conversation. */
export type Order = { readonly case: Case; readonly tag: string; readonly act: Act };
export type Act = 'begin' | 'touch' | 'end';
export type Facts = {
  /** The last answer. */
  readonly text?: string;
  /** The kinds of the log's entries. Of a conversation: what its store has. */
  readonly log?: readonly string[];
  /** Why the run waits for a deploy. */
  readonly waited?: string;
  /** What calls threw that were made again. */
  readonly troubles: readonly string[];
};

const { hub, store, ...place } = JSON.parse(process.argv[2] ?? '{}') as ClientSettings;
const longhaul = await connect(place);
/** The server waits longer and longer before it gives a task to a worker again. */
const limitMs = 300_000;
const pauseMs = 250;

/** Asks again while it throws or gives undefined. */
async function insist<Result>(
  what: string,
  troubles: string[],
  call: () => Promise<Result | undefined>,
): Promise<Result> {
  const deadline = Date.now() + limitMs;
  for (let last = 'nothing'; ; await sleep(pauseMs)) {
    try {
      const result = await call();
      if (result !== undefined) return result;
    } catch (error) {
      last = String(error);
      if (troubles.at(-1) !== last) troubles.push(last);
    }
    if (Date.now() > deadline)
      throw new Error(`no ${what} in ${limitMs / 1_000} s; the last error: ${last}`);
  }
}

async function tokenOf(tag: string): Promise<string> {
  const body = JSON.stringify({ what: tag });
  return await (await fetch(`${hub}/`, { method: 'POST', body })).text();
}

type Answering = { readonly run: RunHandle | ThreadHandle; readonly of: Order };

async function answer({ run, of }: Answering, { inputId, kind }: PendingInput): Promise<void> {
  if (kind === 'question') return await run.resume('blue', { inputId });
  if (kind === 'budget') return await run.resume(1_000, { inputId });
  if (kind === 'approval') return void (await run.approve(inputId));
  const isByToken = 'byToken' in of.case && of.case.byToken;
  return isByToken
    ? await longhaul.completeByToken(await tokenOf(of.tag), 'arrived')
    : await run.complete(inputId, 'arrived');
}

async function waitForInputs(
  run: RunHandle | ThreadHandle,
  count: number,
  troubles: string[],
): Promise<readonly PendingInput[]> {
  return await insist(`${count} open inputs`, troubles, async () => {
    const pending = await run.pending();
    return pending.length === count ? pending : undefined;
  });
}

async function hasContinued(workflowId: string): Promise<void> {
  const { raw } = await longhaul.client.workflow.getHandle(workflowId).describe();
  const { execution, firstRunId = '' } = raw.workflowExecutionInfo ?? {};
  if (execution?.runId === firstRunId)
    throw new Error(`${workflowId} has not continued as new: it must be longer`);
}

class RunParty {
  readonly #of: Order;
  readonly #case: RunCase;
  readonly #troubles: string[] = [];

  constructor(of: Order, given: RunCase) {
    this.#of = of;
    this.#case = given;
  }

  async begin(): Promise<Facts> {
    const { runner, maxTokens, answered = 0, open = 1, inFlight, continues } = this.#case;
    const options = { workflowId: this.#of.tag, ...(maxTokens && { budget: { maxTokens } }) };
    const run = await longhaul.start(runner, this.#of.tag, options);
    if (inFlight) return { troubles: [] };
    for (let done = 0; done < answered; done += 1) {
      const [input] = await waitForInputs(run, 1, this.#troubles);
      if (input === undefined) throw new Error('nothing is open');
      await answer({ run, of: this.#of }, input);
      await insist('next input', this.#troubles, async () => {
        const [next] = await run.pending();
        return next !== undefined && next.inputId !== input.inputId ? next : undefined;
      });
    }
    await waitForInputs(run, open, this.#troubles);
    if (continues) await hasContinued(run.workflowId);
    return { troubles: this.#troubles };
  }

  async end(): Promise<Facts> {
    const run = longhaul.run(this.#of.tag);
    const result = await insist('end', this.#troubles, async () => {
      const outcome = await run.outcome();
      if (outcome.kind === 'complete') return outcome.result;
      for (const input of outcome.pending) await answer({ run, of: this.#of }, input);
      return undefined;
    });
    const log = await insist('log', this.#troubles, () => run.log());
    const kinds = log.map((entry) => {
      if (entry.kind === 'decision') return entry.decision.kind;
      return entry.kind === 'tool-result' ? `${entry.result.name} result` : entry.kind;
    });
    return { text: result.finalResponse.text, log: kinds, troubles: this.#troubles };
  }
}

class ThreadParty {
  readonly #of: Order;
  readonly #case: ThreadCase;
  readonly #thread: ThreadHandle;
  readonly #troubles: string[] = [];

  constructor(of: Order, given: ThreadCase) {
    this.#of = of;
    this.#case = given;
    this.#thread = longhaul.thread({ agent: 'chat', sessionId: of.tag });
  }

  async begin(): Promise<Facts> {
    const { messages, continues } = this.#case;
    for (let number = 1; number <= messages; number += 1)
      await (await this.#send(`${number}`)).result();
    await this.#send(`${messages + 1} ask`);
    await waitForInputs(this.#thread, 1, this.#troubles);
    if (continues) await hasContinued(this.#thread.threadId);
    return { troubles: this.#troubles };
  }

  /** What the store has in the end says whether a message is lost. */
  async end(): Promise<Facts> {
    const turn = this.#case.messages + 2;
    await insist('answer', this.#troubles, async () => {
      const pending = await this.#thread.pending();
      for (const input of pending) await answer({ run: this.#thread, of: this.#of }, input);
      const turns = await this.#thread.turns();
      return turns.every(({ status }) => status === 'completed') ? true : undefined;
    });
    const last = await insist('turn', this.#troubles, () => this.#send(`${turn}`));
    const { finalResponse } = await insist('end', this.#troubles, () => last.result());
    const stores = new SqliteStores({ path: store });
    const saved = await insist('saved turns', this.#troubles, async () => {
      const turns = await stores.memory.default.loadTurns(this.#thread.key);
      return turns.length >= turn ? turns : undefined;
    });
    await stores.close();
    const log = saved.map(({ user }) =>
      (typeof user === 'string' ? user : JSON.stringify(user)).split(' ').slice(1).join(' '),
    );
    return { text: finalResponse.text, log, troubles: this.#troubles };
  }

  async #send(text: string) {
    return await this.#thread.send(`${this.#of.tag} ${text}`, {
      messageId: `${this.#of.tag} ${text}`,
    });
  }
}

/** Answers it where the server keeps the answer, and looks what it waits for. */
async function touch(order: Order): Promise<Facts> {
  const { case: given, tag } = order;
  const troubles: string[] = [];
  const thread = longhaul.thread({ agent: 'chat', sessionId: tag });
  const workflowId = 'runner' in given ? tag : thread.threadId;
  // Its worker cannot answer.
  const run = longhaul.run(workflowId, { withoutWorker: true });
  const handle = longhaul.client.workflow.getHandle(workflowId);
  for (const input of await run.pending()) {
    const { inputId } = input;
    if (input.kind === 'question') await handle.signal('resume', { answer: 'blue', inputId });
    else answer({ run, of: order }, input).catch((error: unknown) => troubles.push(String(error)));
  }
  const waited = await insist('wait for a deploy', troubles, async () => {
    let { waitsFor } = await run.state();
    while (waitsFor?.kind === 'child') ({ waitsFor } = waitsFor);
    return waitsFor?.kind === 'deploy' ? waitsFor.cause : undefined;
  });
  return { waited, troubles };
}

async function act(order: Order): Promise<Facts> {
  if (order.act === 'touch') return await touch(order);
  const given = order.case;
  const party = 'runner' in given ? new RunParty(order, given) : new ThreadParty(order, given);
  return order.act === 'begin' ? await party.begin() : await party.end();
}

process.on('message', ({ number, order }: { readonly number: number; readonly order: Order }) => {
  act(order).then(
    (facts) => process.send?.({ number, facts }),
    (error: unknown) => process.send?.({ number, error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
