// The types of routes. There are rooms of routes for runs, threads, chat (AI SDK UI) and AG-UI. The handler finds the route, and checks who
// calls.

import type { Json, JsonObject, Schema } from '../base';
import type { Longhaul, RunHandle, RunStreams, StartOptions, ThreadHandle } from '../client/index';
import type { Actor, AnsweredBy, RunKey } from '../protocol';

/** The caller, as `authenticate` returned it. */
export type Principal = {
  /** The id of the user: `userId` of keys, and the id of the actor of answers. 1 to 200 characters. */
  readonly user: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  /**
   * Part of all keys. The ids of threads do not have it: if a user with the same id in another tenant has the chat open, it does not exist
   * here.
   */
  readonly tenant?: string;
  /**
   * Which runs and threads the principal may see, answer and cancel. Default `own`: its own. `tenant`: those of everybody in its tenant.
   * `all`: those of everybody in this application.
   */
  readonly sees?: 'own' | 'tenant' | 'all';
};

/** What your backend adds to runs and turns. A request cannot set these members. */
export type BackendOptions = Pick<StartOptions, 'session' | 'budget' | 'context'>;

/** What all routes of one handler share. */
export type App = {
  readonly longhaul: Longhaul;
  /** Ids of the agents that may be started. */
  readonly agents: readonly string[];
  readonly appName: string;
  readonly streams: RunStreams;
  /** Reports a failure to the backend that no answer explains. Never throws. */
  readonly report: (error: unknown, request: Request) => void;
};

/** A request to a route, with a known principal. If the path names an `agent`, it is one of `app.agents`. */
export type Call = {
  readonly request: Request;
  readonly url: URL;
  /** The parts of the path, by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly app: App;
  readonly principal: Principal;
  /** Who acts: the principal. */
  readonly actor: Actor;
  /** The principal as the sender of answers, with its rights. Every answer of a request has it. */
  readonly answerer: Required<Pick<AnsweredBy, 'by' | 'may'>>;
  /** The key of runs that this principal starts. It has no `sessionId`. */
  readonly key: RunKey;
  /** The body, a JSON object within the bounds in the route's `takes`. An empty body is `{}`. Reads once. Throws `HttpProblem`. */
  readonly body: () => Promise<JsonObject>;
  /** The run or thread, if the principal may see it. `run`: no thread. Else throws as for an id that does not exist. */
  readonly run: (workflowId: string, kind?: 'run') => Promise<RunHandle>;
  /**
   * The principal's own thread with the agent of the path; `chat` is its `sessionId`. It need not exist yet. Throws as for an unknown id if
   * it is open with another agent, or belongs to the same user id of another tenant.
   */
  readonly thread: (chat: string) => Promise<ThreadHandle>;
  /** What the backend adds to a run or turn with the agent of the path. */
  readonly backend: () => Promise<BackendOptions>;
  /** Whether the backend takes tools that the request brings. */
  readonly mayBringTools: () => Promise<boolean>;
};

/** A parameter in the query of a route. */
export type QueryParameter = {
  readonly description: string;
  readonly schema: Schema;
};

/** One route. `path` is like `/runs/:id/events`. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly handle: (call: Call) => Promise<Response>;
  /**
   * The shape of the body, for the check and the OpenAPI document. Each member has a `description`, which the error shows. Without it,
   * `body()` takes any JSON object.
   */
  readonly takes?: Schema;
  /** The parameters that the query may have. Others are refused. Without it, the route checks its query itself. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** The rest of its operation in the OpenAPI document, such as `responses`. Parameters and body come from the other fields. */
  readonly operation: { readonly summary: string; readonly [name: string]: Json };
};

/** A route that anybody may read. */
export type PublicRoute = Pick<Route, 'path' | 'operation'> & {
  readonly method: 'GET';
  readonly respond: () => Response;
};
