// One person who means harm: what plays use to ask, and to know what was answered.

import type { Random } from '../torture/random.mts';
import { parsed, type Judge } from './judge.mts';
import { markOf, maySee, type Person } from './people.mts';
import { send, type Got, type Manner } from './request.mts';
import { agentIds, type AgentId } from './agents.mts';
import { isComputed } from './ids.mts';
import type { Operation } from './routes.mts';
import type { Chat, InputKind, Loss, SeenInput, Thing, World } from './world.mts';

export type Ask = {
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'DELETE';
  readonly path: string;
  /** What the path names: then `path` is what follows `/runs/:id`. */
  readonly of?: Thing | undefined;
  /** JSON, or whatever bytes. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly manner?: Manner;
  readonly readMs?: number;
};

/** What routes answer, all in one: each has some of these. */
export type Body = {
  readonly workflowId?: string;
  readonly code?: string;
  readonly missing?: number;
  readonly turn?: number;
  readonly threadId?: string;
  readonly pending?: readonly PendingShown[];
  readonly items?: readonly (PendingShown & { readonly workflowId: string })[];
  readonly turns?: readonly TurnShown[];
};

export type TurnShown = {
  readonly workflowId: string;
  readonly messageId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly text?: string;
};

type PendingShown = {
  readonly inputId: string;
  readonly kind: InputKind;
  readonly digest?: string;
  readonly byToken?: true;
};

export type Reply = Got & { readonly body: Body };

export type AttackerOptions = {
  readonly person: Person;
  readonly people: readonly Person[];
  readonly random: Random;
  readonly world: World;
  readonly judge: Judge;
  readonly url: string;
  readonly operations: readonly Operation[];
};

export class Attacker {
  readonly person: Person;
  readonly people: readonly Person[];
  readonly random: Random;
  readonly world: World;
  readonly operations: readonly Operation[];
  readonly #judge: Judge;
  readonly #url: string;
  #said = 0;
  /** The name of what it plays, which its requests carry. */
  play = '';

  constructor({ person, people, random, world, judge, url, operations }: AttackerOptions) {
    this.person = person;
    this.people = people;
    this.random = random;
    this.world = world;
    this.operations = operations;
    this.#judge = judge;
    this.#url = url;
  }

  /** The same attacker as somebody else, who acts at the same time. */
  as(person: Person): Attacker {
    const { people, random, world, operations } = this;
    const options = { person, people, random, world, operations };
    const other = new Attacker({ ...options, judge: this.#judge, url: this.#url });
    other.play = this.play;
    other.#said = 10_000 + this.random.below(1_000_000);
    return other;
  }

  /** A text that nobody else says. `owner`: of that in which it will stand. */
  text(owner: Person = this.person): string {
    this.#said += 1;
    return `${markOf(this.person, owner)} says ${this.person.index}-${this.#said}`;
  }

  id(what: string): string {
    this.#said += 1;
    return `${what}-${this.person.index}-${this.#said}`;
  }

  chat(agent: AgentId = this.agent()): Chat {
    return { owner: this.person, agent, name: `trip-${agent}` };
  }

  agent(): AgentId {
    return agentIds[this.random.below(agentIds.length)] ?? 'talker';
  }

  /** A run, turn or thread that somebody has; half of them the attacker must not see. */
  thing(which: 'any' | 'own' | 'visible' | 'foreign' = 'any'): Thing | undefined {
    const { person } = this;
    const wanted = which === 'any' && this.random.chance(50) ? 'foreign' : which;
    const fitting = this.world.things.filter(({ owner }) => {
      if (wanted === 'own') return owner === person;
      return wanted === 'any' || maySee(person, owner) === (wanted !== 'foreign');
    });
    return fitting[this.random.below(fitting.length)];
  }

  async ask(ask: Ask): Promise<Reply> {
    const { of, path } = ask;
    const whole = of === undefined ? path : pathOf(of.id, path);
    const from = Date.now();
    const got = await this.#send(ask, whole);
    this.#lose(whole, { status: got.status, from });
    const reply = { ...got, body: (parsed(got.text) ?? {}) as Body };
    this.#learn(ask, reply);
    this.#claim(whole, ask, reply);
    return reply;
  }

  /** Whatever play it is: a start that was taken is a run, and a cancellation that was taken ends one. */
  #claim(path: string, { method }: Ask, { status, body }: Reply): void {
    if (method !== 'POST' || status < 200 || status >= 300) return;
    const { world, person } = this;
    const { workflowId } = body;
    const [, agent] = /^\/([^/?]+)\/runs$/.exec(path) ?? [];
    if (agent !== undefined && workflowId !== undefined) {
      world.addThing({ id: workflowId, kind: 'run', agent, owner: person });
      world.claims.push({ kind: 'started', workflowId, by: person });
    }
    const [, id = ''] = /^\/runs\/([^/?]+)\/cancel$/.exec(path) ?? [];
    const thing = world.thing(decodeURIComponent(id));
    if (thing !== undefined) world.claims.push({ kind: 'ended', thing, what: 'cancel' });
  }

  /** Asks, and if it must not see what it asks about, asks the same about nothing: the answers must be the same. */
  async probe(ask: Ask & { readonly of: Thing }): Promise<Reply> {
    const reply = await this.ask(ask);
    if (maySee(this.person, ask.of.owner)) return reply;
    const twin = await this.#send(ask, pathOf(`${ask.of.agent}-nobody000000`, ask.path));
    const sent = { method: ask.method ?? 'GET', path: pathOf(ask.of.id, ask.path), headers: {} };
    const exchange = { play: this.play, person: this.person, sent, got: reply };
    this.#judge.judgeTwin(exchange, twin);
    return reply;
  }

  /** Whatever play it is: who stops, clears or cancels takes texts of the chat away. Without an answer, perhaps. */
  #lose(path: string, { status, from }: { readonly status: number; readonly from: number }): void {
    const [, place = '', name = '', what] =
      /^\/([^/]+)\/([^/]+)\/(cancel|clear|stop)$/.exec(path) ?? [];
    if (what === undefined || status >= 400) return;
    const times = { what: what as Loss['what'], from, to: Date.now() };
    const { chat, owner, agent } = this.world.thing(decodeURIComponent(name)) ?? {
      chat: name,
      owner: this.person,
      agent: place,
    };
    if (chat !== undefined) this.world.lose({ owner, agent, name: chat }, times);
  }

  async #send(ask: Ask, path: string): Promise<Got> {
    const { method = 'GET', body, headers, manner, readMs } = ask;
    const isPlain = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    const text = isPlain ? body : JSON.stringify(body);
    const sent = {
      method,
      path,
      headers: {
        'x-token': this.person.token,
        'x-case': this.play,
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
      ...(manner && { manner }),
      ...(readMs !== undefined && { readMs }),
    };
    const got = await send(this.#url, sent);
    const isKnown = sent.headers['x-token'] === this.person.token;
    const person = isKnown ? this.person : undefined;
    this.#judge.judge({ play: this.play, person, sent, got });
    return got;
  }

  #learn({ of }: Ask, { body, status, text, headers }: Reply): void {
    if (status !== 200) return;
    if (of !== undefined) for (const input of body.pending ?? []) this.#see(of, input);
    for (const item of body.items ?? []) {
      const thing = this.world.thing(item.workflowId);
      if (thing !== undefined) this.#see(thing, item);
    }
    if (!String(headers['content-type']).startsWith('text/event-stream')) return;
    const position = /^id: (\S+)$/m.exec(text)?.[1];
    if (position !== undefined && this.world.positions.length < 500)
      this.world.positions.push(position);
  }

  #see(thing: Thing, { inputId, kind, digest, byToken }: PendingShown): void {
    const more = { ...(digest !== undefined && { digest }), ...(byToken && { byToken }) };
    const input: SeenInput = { thing, inputId, kind, ...more };
    const isOfThing = thing.kind !== 'thread' && thing.agent !== 'manager';
    if (isOfThing && !isComputed(thing, inputId))
      this.world.report(`ids.mts computes other ids than ${inputId} of ${thing.id}`);
    this.world.addInput(input);
  }
}

const pathOf = (id: string, rest: string): string => `/runs/${encodeURIComponent(id)}${rest}`;
