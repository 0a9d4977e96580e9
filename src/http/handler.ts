// Answers requests: finds the route, asks who calls, checks the body, and makes a problem document of every error.

import { checkApplication, checkKnown } from '../core/run-input';
import { defined, isJsonObject, type JsonObject } from '../base';
import { type Longhaul, RunStreams } from '../client/index';
import { ownThread, visibleRun } from './access';
import { readJson, requireJson } from './body';
import { corsHeaders } from './cors';
import {
  type AgentHandlerOptions,
  type BackendCall,
  readOptions,
  type ReadyOptions,
} from './options';
import { actorOf, ownKey, readPrincipal } from './principal';
import { HttpProblem, problemOf, problemResponse, statusOf } from './problems';
import { type Found, methodsOf, Router } from './router';
import { rightsOf } from './rights';
import type { App, BackendOptions, Call, Principal, Route } from './route';
import { allRoutes } from './routes';
import { checkBody } from './shapes';

/**
 * Puts agents behind HTTP. The handler takes any web `Request`, so it mounts in Hono, Next, Bun, Deno, Express and `node:http`.
 *
 * @example
 * const handle = agentHandler(longhaul, {
 *   agents: ['support'],
 *   authenticate: async (request) => ({ user: await userOf(request) }),
 * });
 * app.all('/*', (context) => handle(context.req.raw));
 */
export function agentHandler(
  longhaul: Longhaul,
  options: AgentHandlerOptions,
): (request: Request) => Promise<Response> {
  const handler = new Handler(longhaul, readOptions(options));
  return (request) => handler.answer(request);
}

const backendNames: readonly (keyof BackendOptions)[] = ['session', 'budget', 'context'];

class Handler {
  readonly #options: ReadyOptions;
  readonly #app: App;
  readonly #router: Router;

  constructor(longhaul: Longhaul, options: ReadyOptions) {
    const { appName = longhaul.application, agents, deltas } = options;
    checkApplication(appName);
    this.#options = options;
    this.#app = {
      longhaul,
      agents,
      appName,
      streams: deltas === undefined ? longhaul.streams : new RunStreams(longhaul.client, deltas),
      report: (error, request) => this.#report(error, request),
    };
    this.#router = new Router(options.basePath, allRoutes(options.basePath));
  }

  /** Never rejects. */
  async answer(request: Request): Promise<Response> {
    const response = await this.#answer(request).catch((error: unknown) => {
      const problem = problemOf(error);
      if (statusOf(problem) >= 500) this.#report(problem.cause ?? problem, request);
      return problemResponse(problem);
    });
    const headers = new Headers(response.headers);
    headers.set('x-content-type-options', 'nosniff');
    for (const [name, value] of Object.entries(corsHeaders(this.#options.cors, request)))
      headers.set(name, value);
    const { status } = response;
    if (request.method !== 'HEAD') return new Response(response.body, { status, headers });
    await response.body?.cancel();
    return new Response(null, { status, headers });
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const found = this.#router.find(url);
    if (found === undefined) throw new HttpProblem('NotFound');
    if (request.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { allow: allowed(found) } });
    const route = found.routes.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (route === undefined)
      throw new HttpProblem('MethodNotAllowed', { headers: { allow: allowed(found) } });
    if ('respond' in route) return route.respond();
    const principal = await this.#authenticate(request);
    if (route.method !== 'GET') requireJson(request);
    const call = this.#call({ request, url, route, principal, params: found.params(route) });
    return await route.handle(call);
  }

  async #authenticate(request: Request): Promise<Principal> {
    const principal = await ofBackend(async () => {
      const given = await this.#options.authenticate(request);
      return given === undefined || given === null ? undefined : readPrincipal(given);
    });
    if (principal === undefined) throw new HttpProblem('NotAuthenticated');
    return principal;
  }

  #call(
    given: Pick<Call, 'request' | 'url' | 'params' | 'principal'> & { readonly route: Route },
  ): Call {
    const { request, url, params, principal, route } = given;
    const app = this.#app;
    const { agent = '' } = params;
    if (params['agent'] !== undefined && !app.agents.includes(agent))
      throw new HttpProblem('AgentNotFound');
    let asked: Promise<BackendOptions> | undefined;
    const backend = (): Promise<BackendOptions> =>
      (asked ??= this.#backend({ principal, agent, request }));
    const actor = actorOf(principal);
    return {
      request,
      url,
      params,
      app,
      principal,
      actor,
      answerer: { by: actor, may: rightsOf(principal) },
      key: ownKey(app.appName, principal),
      body: () => this.#body(request, route),
      run: (workflowId, kind) => visibleRun(app, principal, { workflowId, kind }),
      thread: async (chat) => {
        const { session } = await backend();
        return await ownThread(app, principal, { agent, chat, ...defined({ session }) });
      },
      backend,
      mayBringTools: () => this.#takesTools({ principal, agent, request }),
    };
  }

  async #takesTools(call: BackendCall): Promise<boolean> {
    const { clientTools = false } = this.#options;
    if (typeof clientTools === 'boolean') return clientTools;
    return await ofBackend(async () => (await clientTools(call)) === true);
  }

  async #body(request: Request, { takes }: Route): Promise<JsonObject> {
    const { maxBodyBytes: maxBytes, bodyTimeoutMs: timeoutMs } = this.#options;
    const body = await readJson(request, { maxBytes, timeoutMs });
    if (takes !== undefined) checkBody(takes, body);
    return body;
  }

  async #backend(call: BackendCall): Promise<BackendOptions> {
    return await ofBackend(async () => {
      const given: unknown = (await this.#options.startWith?.(call)) ?? {};
      if (!isJsonObject(given)) throw new TypeError('startWith must return an object');
      checkKnown(given, 'what startWith returns', backendNames);
      return given;
    });
  }

  /** A hook that throws must not break the answer. */
  #report(error: unknown, request: Request): void {
    try {
      this.#options.onError(error, request);
    } catch {
      // A failure of `onError` itself cannot be reported.
    }
  }
}

/** A failure in the backend's code is no fault of the caller, and the response does not show it. */
async function ofBackend<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw new HttpProblem('InternalError', { cause: error });
  }
}

function allowed(found: Found): string {
  return methodsOf(found).join(', ');
}
