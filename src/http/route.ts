// What a route is. Rooms of routes: runs, threads, chat (AI SDK UI), AG-UI. The handler finds the route, and checks who calls.

import type { Json, JsonObject } from '../base/json';
import type { Longhaul } from '../client/longhaul';
import type { RunHandle } from '../client/run-handle';
import type { RunStreams } from '../client/stream/run-streams';
import type { Actor } from '../protocol/people';
import type { RunKey } from '../protocol/run';

/** Who calls, as `authenticate` says. */
export type Principal = {
  /** The id of the user: `userId` of keys, and the id of the actor of answers. */
  readonly user: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly tenant?: string;
  /** Whose runs and threads the principal may see and answer. Default `own`. `tenant`: those of everybody in its tenant. */
  readonly sees?: 'own' | 'tenant' | 'all';
};

/** What all routes of one handler share. */
export type App = {
  readonly longhaul: Longhaul;
  /** Ids of the agents that may be started. */
  readonly agents: readonly string[];
  readonly appName: string;
  readonly streams: RunStreams;
};

/** A request to a route, from somebody known. */
export type Call = {
  readonly request: Request;
  readonly url: URL;
  /** The parts of the path, by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly app: App;
  readonly principal: Principal;
  /** The actor of answers. */
  readonly actor: Actor;
  /** The key of runs that this principal starts. */
  readonly key: RunKey;
  /** The body, a JSON object within the bounds. Throws `InvalidInput` or `PayloadTooLarge`. */
  readonly body: () => Promise<JsonObject>;
  /** The run, if the principal may see it. Else throws `RunNotFound`, as for a run that does not exist. */
  readonly run: (workflowId: string) => Promise<RunHandle>;
};

/** One route. `path` is like `/runs/:id/events`. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly handle: (call: Call) => Promise<Response>;
  /** The operation of the OpenAPI document, without parameters of the path. */
  readonly operation: { readonly summary: string; readonly [name: string]: Json };
};
