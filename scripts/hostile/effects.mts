// What must be so in the end: what every answer of 2xx said, and that nobody passed a budget, a quorum or a token.

import type { AuditEntry, Longhaul } from 'longhaul/client';
import { hasCode } from 'longhaul';
import { budgets, tokensOfCall, type AgentId, type Effect } from './agents.mts';
import { maySee, type Person } from './people.mts';
import type { Chat, Claim, Thing, World } from './world.mts';
import type { TurnShown } from './attacker.mts';

export type EffectsOptions = {
  readonly longhaul: Longhaul;
  readonly world: World;
  readonly people: readonly Person[];
  readonly effects: readonly Effect[];
  /** The turns of a chat, as its owner reads them. */
  readonly turnsOf: (chat: Chat) => Promise<readonly TurnShown[] | undefined>;
};

/** Runs to read at once. */
const atATime = 6;

export class Effects {
  readonly #options: EffectsOptions;
  readonly #audits = new Map<string, Promise<readonly AuditEntry[]>>();

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  async judge(): Promise<void> {
    const { world, effects } = this.#options;
    const runs = world.things.filter(({ kind }) => kind !== 'thread');
    await all(world.claims, (claim) => this.#judgeClaim(claim));
    await all([...runs, ...(await this.#unknown())], (run) => this.#judgeBudget(run));
    const paying = new Set(
      effects.filter(({ tool }) => tool === 'pay').map(({ workflowId }) => workflowId),
    );
    await all([...paying], (id) => this.#judgeQuorum(id));
    await all(runs, (run) => this.#judgeTokens(run));
    this.#judgeContexts();
    this.#judgeOnce();
  }

  /** Runs and turns of which no answer told, because somebody cut the connection. */
  async #unknown(): Promise<readonly Thing[]> {
    const { longhaul, world, people } = this.#options;
    const found: Thing[] = [];
    for await (const { workflowId: id, agent, path } of longhaul.runs({ children: true })) {
      const isBelow = path !== undefined && !/^[^/]+\/turn-\d+$/.test(path);
      if (world.thing(id) !== undefined || isBelow) continue;
      const user = (await this.#audit(id)).find(({ kind }) => kind === 'start')?.by?.id;
      const [owner, twin] = people.filter((person) => person.user === user);
      // Nobody can say whose of two the run is.
      if (owner !== undefined && twin === undefined) found.push({ id, kind: 'run', agent, owner });
    }
    return found;
  }

  #judgeContexts(): void {
    const { world, effects, people } = this.#options;
    for (const { tool, workflowId, context, what } of effects) {
      const { who, tenant } = context;
      const owner = people.find(({ index }) => who === `mkO${String(index).padStart(2, '0')}x`);
      const thing = world.thing(workflowId);
      if (owner === undefined || tenant !== owner.tenant)
        world.report(`${tool} of ${workflowId} ran with the context ${JSON.stringify(context)}`);
      else if (thing !== undefined && thing.owner !== owner)
        world.report(`${tool} of ${workflowId} ran for ${who}, but it is ${thing.owner.user}'s`);
      const [said] = /mkO\d\dx/.exec(what) ?? [];
      if (said !== undefined && owner !== undefined && said !== who)
        world.report(`${tool} of ${workflowId} ran for ${who}, but ${said} asked for it`);
    }
  }

  #judgeOnce(): void {
    const { world, effects } = this.#options;
    const keys = new Set<string>();
    for (const { tool, key, workflowId } of effects.filter((each) => each.tool === 'pay')) {
      if (keys.has(key)) world.report(`${tool} of ${workflowId} ran twice`);
      keys.add(key);
    }
  }

  async #judgeClaim(claim: Claim): Promise<void> {
    const { world } = this.#options;
    switch (claim.kind) {
      case 'started':
        return await this.#judgeStart(claim);
      case 'decided':
        return await this.#judgeDecision(claim);
      case 'ended': {
        const found = await this.#describe(claim.thing.id);
        if (found === 'RUNNING') world.report(`${claim.what}: ${claim.thing.id} did not end`);
        return;
      }
      case 'said':
        return await this.#judgeSaid(claim);
      case 'sent':
        return await this.#judgeSent(claim);
    }
  }

  async #judgeStart({ workflowId, by }: Extract<Claim, { kind: 'started' }>): Promise<void> {
    const { world } = this.#options;
    const started = (await this.#audit(workflowId)).find(({ kind }) => kind === 'start');
    if (started?.by?.id !== by.user)
      world.report(`${workflowId} was started by ${started?.by?.id ?? 'nobody'}, not ${by.user}`);
  }

  async #judgeDecision(claim: Extract<Claim, { kind: 'decided' }>): Promise<void> {
    const { thing, inputId, verdicts, by } = claim;
    const found = (await this.#audit(thing.id)).some(
      (entry) =>
        entry.kind === 'verdict' &&
        inputId.replace(/@.*/, '') === entry.inputId &&
        verdicts.includes(entry.verdict),
    );
    if (!found)
      this.#options.world.report(
        `${verdicts.join(' or ')} of ${by.user} on ${inputId} of ${thing.id} was taken, but its audit does not have it`,
      );
  }

  /** A text goes with a run that somebody cancels, or that fails. */
  async #judgeSaid({ thing, text }: Extract<Claim, { kind: 'said' }>): Promise<void> {
    const status = await this.#describe(thing.id);
    if (status !== 'COMPLETED' && status !== 'RUNNING') return;
    const found = (await this.#audit(thing.id)).some(
      (entry) => entry.kind === 'message' && entry.text.includes(text),
    );
    const isOpen = status === 'RUNNING';
    if (!found && !isOpen)
      this.#options.world.report(`${text} was taken by ${thing.id}, which never got it`);
  }

  async #judgeSent({
    chat,
    messageId,
    text,
    whenBusy,
    times,
  }: Extract<Claim, { kind: 'sent' }>): Promise<void> {
    const { world, turnsOf } = this.#options;
    const isLost = world.losses(chat).some(({ to }) => to > times.from);
    if (isLost) return;
    const turns = await turnsOf(chat);
    if (turns === undefined || turns.some((turn) => turn.messageId === messageId)) return;
    const own = world.things.filter(
      (thing) => thing.kind === 'turn' && thing.owner === chat.owner && thing.chat === chat.name,
    );
    for (const { id } of own)
      if (
        (await this.#audit(id)).some(
          (entry) => entry.kind === 'message' && entry.text.includes(text),
        )
      )
        return;
    const isQueued = (await Promise.all(own.map(({ id }) => this.#describe(id)))).includes(
      'RUNNING',
    );
    if (!isQueued)
      world.report(
        `${messageId} (${whenBusy}) of ${chat.agent}/${chat.name} of ${chat.owner.user} was taken, and nothing came of it; turns: ${JSON.stringify(
          turns.map((turn) => [turn.messageId, turn.status]),
        )}`,
      );
  }

  /** What was spent, without the last call, is not over what the backend gave and the right people added. */
  async #judgeBudget({ id, agent, owner }: Thing): Promise<void> {
    const { world, longhaul } = this.#options;
    const { maxTokens } = budgets[agent as AgentId];
    const usage = await unlessGone(() => longhaul.run(id).usage(), undefined);
    const spent = usage?.totalTokens ?? 0;
    if (spent <= maxTokens + tokensOfCall) return;
    const raised = await this.#raised(id, owner);
    if (spent > maxTokens + raised + tokensOfCall)
      world.report(
        `${id} spent ${spent} tokens of ${maxTokens}, to which the right people added ${raised}`,
      );
  }

  async #raised(id: string, owner: Person): Promise<number> {
    const { people } = this.#options;
    const mayRaise = (user: string | undefined): boolean =>
      people.some(
        (person) => person.user === user && person.sees !== 'own' && maySee(person, owner),
      );
    return (await this.#audit(id)).reduce((sum, entry) => {
      const isRaise = entry.kind === 'verdict' && mayRaise(entry.by?.id);
      return sum + (isRaise ? (entry.added?.tokens ?? 0) : 0);
    }, 0);
  }

  /** Each payment has the approval of two people whom its rule allows. */
  async #judgeQuorum(id: string): Promise<void> {
    const { people, effects, world } = this.#options;
    const audit = await this.#audit(id);
    const requester = audit.find(({ kind }) => kind === 'start')?.by?.id;
    const voters = new Map<string, Set<string>>();
    for (const entry of audit) {
      if (entry.kind !== 'verdict' || !['approve', 'edit'].includes(entry.verdict)) continue;
      const place = entry.inputId.replace(/-\d+$/, '');
      voters.set(place, (voters.get(place) ?? new Set()).add(entry.by?.id ?? 'nobody'));
    }
    const mayVote = (user: string): boolean =>
      user !== requester &&
      people.some((person) => person.user === user && person.roles.includes('finance'));
    const approved = [...voters.values()].filter(
      (users) => [...users].filter(mayVote).length >= 2,
    ).length;
    const paid = effects.filter((each) => each.tool === 'pay' && each.workflowId === id).length;
    if (paid > approved)
      world.report(`${id} paid ${paid} times, but only ${approved} had the votes of two who may`);
  }

  /** Nobody but the holder of the token says what the bank said. */
  async #judgeTokens({ id }: Thing): Promise<void> {
    const { effects, world } = this.#options;
    const isAsked = effects.some(({ tool, workflowId }) => tool === 'collect' && workflowId === id);
    if (!isAsked) return;
    for (const entry of await this.#audit(id)) {
      const isResult = entry.kind === 'verdict' && ['complete', 'fail'].includes(entry.verdict);
      if (isResult && entry.by !== undefined && entry.tool === 'collect')
        world.report(
          `${entry.by.id} gave the result of ${entry.inputId} of ${id}, without its token`,
        );
    }
  }

  async #audit(id: string): Promise<readonly AuditEntry[]> {
    const { longhaul } = this.#options;
    const known = this.#audits.get(id) ?? unlessGone(() => longhaul.run(id).audit(), []);
    this.#audits.set(id, known);
    return await known;
  }

  async #describe(id: string): Promise<string> {
    const handle = this.#options.longhaul.client.workflow.getHandle(id);
    return await handle.describe().then(
      ({ status }) => status.name,
      () => 'MISSING',
    );
  }
}

/** A turn that waits for those before it has no run yet. */
async function unlessGone<Value, Other>(
  read: () => Promise<Value>,
  otherwise: Other,
): Promise<Value | Other> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (hasCode(error, 'RunNotFound')) return otherwise;
      if (attempt === 5) throw error;
    }
  }
}

async function all<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, next));
}
