// Errors as problem documents (RFC 9457). Their texts are fixed: they never repeat a part of the request or of another server's error.
// `code` is for programs.

import { defined } from '../base';
import { type ErrorCode, LonghaulError } from '../protocol';

/** Codes of problems that only HTTP has. */
export type HttpCode =
  | 'NotAuthenticated'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'RequestTimeout'
  | 'UnsupportedMediaType'
  | 'ClientToolsRefused';

export type ProblemCode = ErrorCode | HttpCode;

type Meaning = { readonly status: number; readonly title: string };

const is = (status: number, title: string): Meaning => ({ status, title });

const internal = is(500, 'Something went wrong in the server');
const failedRun = is(500, 'The run failed');
const unknownRun = is(404, 'There is no such run');

/**
 * The status and the text of each code. Most codes are about runs that fail. Such a failure is in the state and the events of the run, so
 * no route answers with it.
 */
const meanings: Readonly<Record<ProblemCode, Meaning>> = {
  NotAuthenticated: is(401, 'The request does not say who calls'),
  NotFound: is(404, 'There is no such route'),
  MethodNotAllowed: is(405, 'The route does not take this method'),
  RequestTimeout: is(408, 'The body did not come in time'),
  UnsupportedMediaType: is(415, 'The request must have the content type application/json'),

  ClientToolsRefused: is(403, 'Your requests may not bring tools'),

  InvalidInput: is(400, 'The request is not valid'),
  SpecError: is(400, 'A tool of the request is not valid'),
  InlineSpecRefused: is(403, 'The workers take no agents from requests'),
  NotPermitted: is(403, 'You may not decide this'),
  TokenInvalid: is(403, 'The token is not valid'),
  AgentNotFound: is(404, 'There is no such agent'),
  RunNotFound: unknownRun,
  RunAlreadyExists: is(409, 'There is such a run already'),
  RunClosed: is(409, 'The run has ended'),
  NotWaiting: is(409, 'Nothing waits for this answer'),
  AlreadyAnswered: is(409, 'Somebody has answered this already'),
  AmbiguousInput: is(409, 'Several things are meant: say which one'),
  InputChanged: is(409, 'It is not what you saw any more: look again'),
  ThreadBusy: is(409, 'The thread is busy'),
  MigrationRefused: is(409, 'The run cannot move to this definition'),
  StreamCut: is(409, 'The stream cannot go on: open it again'),
  PayloadTooLarge: is(413, 'The request is too large'),
  SessionTooLarge: is(413, 'The session is too large'),
  InvalidAnswer: is(422, 'The answer does not fit the question: see its options or its schema'),
  RunFull: is(429, 'Too many messages wait: try later'),
  NoWorker: is(503, 'No worker runs at the moment: try again'),
  ServerUnavailable: is(503, 'The server behind does not answer: try again'),

  ProviderError: failedRun,
  ToolError: failedRun,
  InvalidToolCall: failedRun,
  MaxIterationsExceeded: failedRun,
  MaxTurnsExceeded: failedRun,
  CallbackAbort: failedRun,
  CircularAgentCall: failedRun,
  DisallowedAgentCall: failedRun,
  DepthExceeded: failedRun,
  BudgetExceeded: failedRun,
  InputTimeout: failedRun,
  RunCancelled: is(409, 'The run was cancelled'),
  OutcomeUnknown: failedRun,
  ParallelFailed: failedRun,
  TurnCut: failedRun,
  TranscriptTooLarge: failedRun,
  StateError: failedRun,
  StoreError: internal,
  NotRegisteredHere: internal,
  EncryptionMismatch: internal,
  PackageMissing: internal,
  SdkMismatch: internal,
  ProtocolError: internal,
  InternalError: internal,
};

/**
 * A member of the body or a parameter of the query that is wrong. `pointer` is a JSON Pointer. It names known members only. Inside an
 * answer it may also name members that the caller sent.
 */
export type FieldProblem = { readonly pointer: string; readonly detail: string };

type ProblemExtras = {
  /** What is wrong, in a fixed text. */
  readonly detail?: string;
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/** Ends a request with a problem document. */
export class HttpProblem extends Error {
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, extras: ProblemExtras = {}) {
    super(extras.detail ?? meanings[code].title, { cause: extras.cause });
    this.name = code;
    this.code = code;
    this.extras = extras;
  }
}

/** The problem for a failed request. An error that is not of Longhaul is an `InternalError`. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (!LonghaulError.is(error)) return new HttpProblem('InternalError', { cause: error });
  const isPassing = [429, 503].includes(meanings[error.code].status);
  const again = isPassing ? { headers: { 'retry-after': '5' } } : {};
  const errors = wrongFields(error);
  const [first] = errors;
  return new HttpProblem(error.code, {
    cause: error,
    ...again,
    ...(first && { detail: `${first.pointer} ${first.detail}`, errors }),
  });
}

const mostFields = 20;

/** Where an answer breaks the schema of its input, so that a form can mark the field. */
function wrongFields({ code, details }: LonghaulError): readonly FieldProblem[] {
  const { member, problems } = details as {
    readonly member?: string;
    readonly problems?: readonly { readonly path: string }[];
  };
  if (code !== 'InvalidAnswer' || member === undefined || problems === undefined) return [];
  return problems.slice(0, mostFields).map(({ path }) => ({
    pointer: `/${member}${pointerIn(path)}`,
    detail: 'does not fit the schema of the input',
  }));
}

/** `items[0].name` as `/items/0/name`. */
function pointerIn(path: string): string {
  const segments = path.matchAll(/[\w$-]+|"(?:[^"\\]|\\.)*"/g);
  return [...segments]
    .map(([part]) => (part.startsWith('"') ? (JSON.parse(part) as string) : part))
    .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** What a code means, in a fixed text. */
export function titleOf(code: ProblemCode): string {
  return meanings[code].title;
}

export function statusOf({ code }: HttpProblem): number {
  return meanings[code].status;
}

/** The members of the document. */
export function problemDocument(problem: HttpProblem): Readonly<Record<string, unknown>> {
  const { code, extras } = problem;
  const { status, title } = meanings[code];
  const { detail, errors } = extras;
  return {
    type: `urn:longhaul:error:${code}`,
    title,
    status,
    ...defined({ detail }),
    code,
    ...defined({ errors }),
  };
}

export function problemResponse(problem: HttpProblem): Response {
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  return new Response(JSON.stringify(problemDocument(problem)), {
    status: statusOf(problem),
    headers: { ...headers, ...problem.extras.headers },
  });
}
