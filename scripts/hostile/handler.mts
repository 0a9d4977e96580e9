// The handler under attack, in a process of its own, with what it can tell of itself. Usage: handler.mts '<JSON of HandlerSettings>'

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { connect } from 'longhaul/client';
import { ProcessDeltas, type Deltas } from 'longhaul/stores';
import { agentHandler, toNode, type Principal } from 'longhaul/http';
import { measureProcess, type Measured } from '../torture/measure.mts';
import { agentIds, budgets, type AgentId } from './agents.mts';
import { LoopProbe, type Hold } from './loop-probe.mts';
import { markOf, mayBringTools, type Person } from './people.mts';

export type HandlerSettings = {
  readonly address: string;
  readonly taskQueue: string;
  readonly people: readonly Person[];
};

/** What it says by itself. */
export type HandlerNews =
  | { readonly kind: 'ready'; readonly url: string; readonly deltas: string }
  | { readonly kind: 'hold'; readonly hold: Hold }
  | { readonly kind: 'error'; readonly text: string; readonly request: string }
  | { readonly kind: 'figures'; readonly figures: HandlerFigures };

export type HandlerFigures = Measured & {
  /** Calls to Temporal, by method, since it was last asked. */
  readonly calls: Readonly<Record<string, number>>;
  readonly openRequests: readonly string[];
  readonly connections: number;
  /** Subscriptions to model calls in progress. */
  readonly listeners: number;
  readonly largestHold: Hold;
  readonly longestDelayMs: number;
};

export type HandlerOrder = 'begin' | 'measure';

const maxBodyBytes = 256 * 1024;
const bodyTimeoutMs = 3_000;

const settings = JSON.parse(process.argv[2] ?? '{}') as HandlerSettings;
process.once('disconnect', () => process.exit());

const tell = (news: HandlerNews): void => void process.send?.(news);

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

const calls = new Map<string, number>();
const counting: Interceptor = (options, nextCall) => {
  const name = options.method_definition.path.replace(/.*\//, '');
  calls.set(name, (calls.get(name) ?? 0) + 1);
  return nextCall(options) as ReturnType<Interceptor>;
};

let listeners = 0;

/** Counts those who listen. */
function counted(deltas: Deltas): Deltas {
  return {
    publish: (event) => deltas.publish(event),
    subscribe: (root, listener) => {
      const end = deltas.subscribe(root, listener);
      let isOver = false;
      listeners += 1;
      return () => {
        if (!isOver) listeners -= 1;
        isOver = true;
        end();
      };
    },
    close: () => deltas.close(),
  };
}

const deltas = counted(new ProcessDeltas());
const { address, taskQueue, people } = settings;
const connection = await Connection.connect({
  address,
  interceptors: [counting, makeGrpcRetryInterceptor(defaultGrpcRetryOptions())],
});
const longhaul = await connect({ connection, taskQueue, deltas });

const byToken = new Map(people.map((person) => [person.token, person]));
const personOf = ({ user, tenant }: Principal): Person | undefined =>
  people.find((person) => person.user === user && person.tenant === tenant);

const nameOf = ({ method, headers, url }: Request): string =>
  `${headers.get('x-case') ?? ''} ${method} ${new URL(url).pathname.slice(0, 120)}`;

const handle = agentHandler(longhaul, {
  agents: [...agentIds],
  authenticate: ({ headers }) => {
    const person = byToken.get(headers.get('x-token') ?? '');
    if (person === undefined) return undefined;
    const { user, tenant, sees, roles } = person;
    return { user, roles, sees, ...(tenant !== undefined && { tenant }) };
  },
  startWith: ({ principal, agent }) => {
    const person = personOf(principal);
    return {
      context: {
        ...(person && { who: markOf(person, person) }),
        ...(person?.tenant !== undefined && { tenant: person.tenant }),
      },
      budget: budgets[agent as AgentId],
    };
  },
  clientTools: ({ principal }) => {
    const person = personOf(principal);
    return person !== undefined && mayBringTools(person);
  },
  maxBodyBytes,
  bodyTimeoutMs,
  onError: (error, request) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ kind: 'error', text, request: nameOf(request) });
  },
});

const probe = new LoopProbe((hold) => tell({ kind: 'hold', hold }));
const openRequests = new Map<object, string>();
const listener = toNode((request) => probe.run(nameOf(request), () => handle(request)));

const front: RequestListener = (incoming, outgoing) => {
  const { method = '', url = '', headers } = incoming;
  openRequests.set(outgoing, `${String(headers['x-case'])} ${method} ${url.slice(0, 120)}`);
  outgoing.once('close', () => openRequests.delete(outgoing));
  listener(incoming, outgoing);
};

const takeDeltas: RequestListener = (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    const events = JSON.parse(Buffer.concat(chunks).toString()) as Parameters<
      Deltas['publish']
    >[0][];
    for (const event of events) deltas.publish(event);
    outgoing.end();
  });
};

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const server = createServer(front);

async function figures(): Promise<HandlerFigures> {
  const connections = await new Promise<number>((resolve) =>
    server.getConnections((_error, count) => resolve(count)),
  );
  const made = Object.fromEntries(calls);
  calls.clear();
  return {
    ...measureProcess(),
    calls: made,
    openRequests: [...openRequests.values()],
    connections,
    listeners,
    largestHold: probe.largest,
    longestDelayMs: Math.round(probe.longestDelayMs),
  };
}

process.on('message', (order: HandlerOrder) => {
  if (order === 'begin') probe.begin();
  else void figures().then((found) => tell({ kind: 'figures', figures: found }));
});
tell({ kind: 'ready', url: await listen(server), deltas: await listen(createServer(takeDeltas)) });
