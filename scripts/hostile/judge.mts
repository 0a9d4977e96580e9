// What holds of every response, whoever asked for what.

import { Marks, marksIn, maySee, type Person } from './people.mts';
import type { Got, Sent } from './request.mts';
import { nameOf, operationAt, type Operation } from './routes.mts';
import type { Thing, World } from './world.mts';

export type Exchange = {
  readonly play: string;
  /** Undefined: nobody whom the backend knows. */
  readonly person: Person | undefined;
  readonly sent: Sent;
  readonly got: Got;
};

const runId = /\b[a-z]+-[A-Za-z0-9]{12,40}\b/g;
/** They try whatever the document has, and know of no route what it is for. */
const blindPlays = ['fuzz', 'poison', 'nobody', 'warm'];

const shownText = 300;

/** Answers that say that a server or a worker is away, or that the connection was cut. */
const isAway = ({ status }: Got): boolean => status === 0 || status === 503 || status === 408;

export class Judge {
  readonly #marks: Marks;
  readonly #world: World;
  readonly #operations: readonly Operation[];
  readonly #failed: Exchange[] = [];
  readonly statuses = new Map<string, Map<number, number>>();
  readonly codes = new Map<string, number>();
  /** Operations that a play tried that knows them. */
  readonly tried = new Set<string>();
  requests = 0;

  constructor(world: World, people: readonly Person[], operations: readonly Operation[]) {
    this.#world = world;
    this.#marks = new Marks(people);
    this.#operations = operations;
  }

  judge(exchange: Exchange): void {
    const { person, got } = exchange;
    this.requests += 1;
    this.#count(exchange);
    if (got.status === 0) return;
    this.#judgeStatus(exchange);
    const all = `${JSON.stringify(got.headers)}\n${got.text}`;
    if (person === undefined) return this.#judgeStranger(exchange, all);
    for (const mark of this.#marks.foreignIn(all, person))
      this.#wrong(exchange, `it shows ${mark}: ${around(all, mark)}`);
    this.#judgeIds(exchange, person);
  }

  /** Whom the backend does not know learns nothing but what stood in the request. */
  #judgeStranger(exchange: Exchange, all: string): void {
    const { path } = exchange.sent;
    const marks = marksIn(all).filter((mark) => !decodeURIComponent(path).includes(mark));
    for (const mark of marks) this.#wrong(exchange, `it shows ${mark}: ${around(all, mark)}`);
  }

  /** Both answers are the same, byte for byte. */
  judgeTwin(exchange: Exchange, twin: Got): void {
    const { got } = exchange;
    if (isAway(got) || isAway(twin) || got.isCut || twin.isCut) return;
    if (got.status !== twin.status || got.text !== twin.text)
      this.#wrong(
        exchange,
        `it differs from what does not exist, which is ${twin.status} ${twin.text.slice(0, shownText)}`,
      );
  }

  /** What the handler says of its errors comes a moment after its answers. */
  finish(errors: ReadonlyMap<string, string>): void {
    for (const exchange of this.#failed.splice(0))
      this.#wrong(exchange, `behind it: ${errors.get(handlerName(exchange)) ?? 'nothing told'}`);
  }

  #count({ play, sent, got: { status, text } }: Exchange): void {
    const operation = operationAt(this.#operations, sent);
    const name = operation === undefined ? 'no route' : nameOf(operation);
    if (!blindPlays.some((blind) => play.startsWith(blind))) this.tried.add(name);
    const counts = this.statuses.get(name) ?? new Map<number, number>();
    counts.set(status, (counts.get(status) ?? 0) + 1);
    this.statuses.set(name, counts);
    if (status < 400) return;
    const code = problemIn(text)?.code ?? 'no code';
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }

  #judgeStatus(exchange: Exchange): void {
    const { got } = exchange;
    const { status, headers } = got;
    if (status >= 500 && status !== 503) this.#failed.push(exchange);
    if (status >= 400) this.#judgeProblem(exchange);
    if (status < 300) this.#judgeAccess(exchange);
    if (headers['x-content-type-options'] !== 'nosniff') this.#wrong(exchange, 'it may be sniffed');
  }

  #judgeProblem(exchange: Exchange): void {
    const { sent, got } = exchange;
    if (sent.method === 'HEAD' || got.isCut) return;
    const isTyped = got.headers['content-type'] === 'application/problem+json';
    if (problemIn(got.text)?.status !== got.status || !isTyped)
      this.#wrong(exchange, `it is no problem document: ${got.text.slice(0, shownText)}`);
  }

  #judgeAccess(exchange: Exchange): void {
    const { person, sent } = exchange;
    if (sent.path === '/openapi.json' || sent.method === 'OPTIONS') return;
    if (person === undefined) return this.#wrong(exchange, 'nobody was let in');
    const target = this.#targetOf(sent);
    if (target !== undefined && !maySee(person, target.owner))
      this.#wrong(exchange, `it is about ${target.id} of ${target.owner.user}`);
  }

  /** An id of a run is as good as a key to ask with: nobody learns those of others. */
  #judgeIds(exchange: Exchange, person: Person): void {
    for (const [id] of exchange.got.text.matchAll(runId)) {
      const thing = this.#world.thing(id);
      const isAsked = exchange.sent.path.includes(encodeURIComponent(id));
      if (thing !== undefined && !isAsked && !maySee(person, thing.owner))
        this.#wrong(exchange, `it names ${id} of ${thing.owner.user}`);
    }
  }

  /** What the path names. */
  #targetOf({ path }: Sent): Thing | undefined {
    const [, id = ''] = /^\/runs\/([^/?]+)/.exec(path) ?? [];
    try {
      return this.#world.thing(decodeURIComponent(id));
    } catch {
      return undefined;
    }
  }

  #wrong({ play, person, sent, got }: Exchange, what: string): void {
    const body = String(sent.body ?? '').slice(0, shownText);
    this.#world.report(
      `${play}: ${sent.method} ${sent.path.slice(0, shownText)} of ${person?.user ?? 'nobody'} (${person?.sees ?? '-'}) ` +
        `got ${got.status}: ${what}; body ${body}`,
    );
  }
}

/** As the handler names the request. */
function handlerName({ play, sent }: Exchange): string {
  return `${play} ${sent.method} ${sent.path.replace(/\?.*/s, '').slice(0, 120)}`;
}

function problemIn(text: string): { readonly status?: number; readonly code?: string } | undefined {
  return parsed(text) as ReturnType<typeof problemIn>;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function around(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return text.slice(Math.max(0, at - 80), at + 80);
}
