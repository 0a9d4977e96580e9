import { type Deltas, isDeltas } from '../stores/index';
import { checkOptions } from '../client/index';
import { knownId } from '../core/run-start';
import { quote } from '../base';
import { type KnownRunner, LonghaulError } from '../protocol';
import { checkCors, type CorsOptions } from './cors';
import type { BackendOptions, Principal } from './route';

/** The call that `startWith` and `clientTools` get. */
export type BackendCall = {
  readonly principal: Principal;
  readonly agent: string;
  readonly request: Request;
};

export type AgentHandlerOptions = {
  /** The agents that may be started, by id or as definitions. Runs of other agents do not exist here. */
  readonly agents: readonly KnownRunner[];
  /**
   * Returns who calls, or undefined for a 401. It gets the request before its body is read, and must not read the body.
   *
   * @example
   * authenticate: async (request) => {
   *   const user = await userOf(request.headers.get('authorization'));
   *   return user && { user: user.id, roles: user.roles, tenant: user.organisation };
   * },
   */
  readonly authenticate: (
    request: Request,
  ) => Principal | undefined | null | Promise<Principal | undefined | null>;
  /**
   * Where the workers publish model calls in progress. Default: the `deltas` of `connect`. Then streams of the client and of the handler
   * share their readers. Without deltas, streams have whole turns.
   */
  readonly deltas?: Deltas;
  /** The path below which the routes are. Default `/`. */
  readonly basePath?: string;
  /** The `appName` of the keys. Runs with another `appName` do not exist here. Default: the client's application. */
  readonly appName?: string;
  /** Returns what your backend adds to runs and turns: `context` for tools, a `budget`, the first `session`. A request cannot set them. */
  readonly startWith?: (call: BackendCall) => BackendOptions | Promise<BackendOptions>;
  /**
   * Whether requests may bring tools: for everybody, or by a function for each call. Default false. The texts of tools influence what the
   * agent does, so take only tools of pages that you trust.
   */
  readonly clientTools?: boolean | ((call: BackendCall) => boolean | Promise<boolean>);
  readonly cors?: CorsOptions;
  /** The longest body, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** How long the body may take to arrive, in milliseconds. Default 30 s. */
  readonly bodyTimeoutMs?: number;
  /** Gets the errors behind answers of 500 and above, and those of streams. Default: a warning of the process. */
  readonly onError?: (error: unknown, request: Request) => void;
};

const optionNames = {
  agents: true,
  authenticate: true,
  deltas: true,
  basePath: true,
  appName: true,
  startWith: true,
  clientTools: true,
  cors: true,
  maxBodyBytes: true,
  bodyTimeoutMs: true,
  onError: true,
} as const;

/** First parts of paths that are not agents. */
const reservedIds: readonly string[] = ['runs', 'threads', 'inbox', 'openapi.json'];

/** The options with their defaults. Throws `InvalidInput`. */
export type ReadyOptions = Omit<AgentHandlerOptions, 'agents'> & {
  readonly agents: readonly string[];
} & Required<Pick<AgentHandlerOptions, 'basePath' | 'maxBodyBytes' | 'bodyTimeoutMs' | 'onError'>>;

export function readOptions(options: AgentHandlerOptions): ReadyOptions {
  checkOptions('agentHandler', options, optionNames);
  const { deltas, basePath = '/', cors } = options;
  const { maxBodyBytes = 1024 ** 2, bodyTimeoutMs = 30_000 } = options;
  for (const name of ['authenticate', 'startWith', 'onError'] as const)
    checkFunction(name, options);
  if (deltas !== undefined && !isDeltas(deltas))
    throw invalid('deltas must be a carrier of deltas');
  if (typeof basePath !== 'string' || !/^\/$|^(?:\/[\w.~-]+)+$/.test(basePath))
    throw invalid("basePath must be like '/' or '/api/agents', without a slash at its end");
  checkClientTools(options.clientTools);
  checkCors(cors);
  checkNumber('maxBodyBytes', maxBodyBytes);
  checkNumber('bodyTimeoutMs', bodyTimeoutMs);
  const { onError = warn } = options;
  const agents = readAgents(options.agents);
  return { ...options, agents, basePath, maxBodyBytes, bodyTimeoutMs, onError };
}

function readAgents(agents: unknown): readonly string[] {
  if (!Array.isArray(agents) || agents.length === 0)
    throw invalid('agents must be a list of at least one agent');
  const ids = (agents as readonly KnownRunner[]).map((agent) => knownId(agent));
  const reserved = ids.find((id) => reservedIds.includes(id));
  if (reserved !== undefined)
    throw invalid(`agent ${quote(reserved)} has the name of a route: no agent here may have it`);
  return ids;
}

function checkFunction(
  name: 'authenticate' | 'startWith' | 'onError',
  options: AgentHandlerOptions,
): void {
  const isNeeded = name === 'authenticate';
  if (typeof options[name] === 'function' || (!isNeeded && options[name] === undefined)) return;
  throw invalid(`${name} must be a function`);
}

function checkClientTools(given: unknown): void {
  if (['undefined', 'boolean', 'function'].includes(typeof given)) return;
  throw invalid('clientTools must be true, false or a function');
}

function checkNumber(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && Number(value) > 0) return;
  throw invalid(`${name} must be a whole number over 0`);
}

export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}
