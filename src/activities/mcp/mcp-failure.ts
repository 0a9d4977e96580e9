import { clipText, copyError } from '../../base';
import { LonghaulError } from '../../protocol';
import { redact, redactError } from '../../providers';
import type { McpServer } from '../../define';

const reasonLength = 1_000;
/** Reads at most this many characters of a server's text. */
const readCharacters = 8_192;
/** Shorter values are words such as `true`, not secrets. */
const shortestSecret = 6;
/** The client's own code for a time-out. No server sends it. */
const timedOutCode = -32_001;

/** The server is down or unreachable, or the connection broke. Another attempt may succeed. */
export class McpUnavailable extends LonghaulError {
  /** Whether the request may have reached the server before the connection broke. */
  readonly sent: boolean;
  /** The last output of the server's program on its standard error. It goes to the worker's log, never to a run. */
  readonly said: string;

  constructor(server: McpServer, { cause, sent, said = '' }: Unavailability) {
    const hint = said === '' ? '' : "; what it said is in the worker's log";
    const reason = `MCP server '${server.name}' is not available: ${mcpFailureReason(cause, server)}`;
    super('ToolError', clipText(reason, reasonLength) + hint, {
      cause: mcpCause(cause, server),
      retryable: !isHopeless(cause),
      details: { mcpServer: server.name },
    });
    this.sent = sent;
    this.said = redact(said, secretsOf(server));
  }
}

type Unavailability = { readonly cause: unknown; readonly sent: boolean; readonly said?: string };

/** The program does not exist, the server refuses this worker, or it sends too much: waiting does not help. */
function isHopeless(error: unknown): boolean {
  if (LonghaulError.is(error)) return !error.retryable;
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'EACCES' || code === 401 || code === 403;
}

/** The server answered, with an error or with something that is not MCP. */
export function isAnswer(error: unknown): boolean {
  return isGarbled(error) || (isMcpError(error) && codeOf(error) !== timedOutCode);
}

/** The server's answer cannot be read. */
export function isGarbled(error: unknown): boolean {
  return error instanceof Error && error.name.endsWith('ZodError');
}

export function isTimeout(error: unknown): boolean {
  return isMcpError(error) && codeOf(error) === timedOutCode;
}

/** The text of an error, without the credentials of the server. */
export function mcpFailureReason(error: unknown, server: McpServer): string {
  if (!(error instanceof Error)) return redact(String(error), secretsOf(server));
  const { cause, message } = error;
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
  return redact(reason.slice(0, readCharacters), secretsOf(server));
}

/** A copy of an error without the credentials of the server. */
export function mcpCause(error: unknown, server: McpServer): Error | undefined {
  const secrets = secretsOf(server);
  return copyError(error, (read) => redactError(read, secrets));
}

/** The values of a server's environment and headers, and the token in a value such as `Bearer …`. */
function secretsOf({ connection }: McpServer): readonly string[] {
  const values = Object.values(connection.kind === 'http' ? connection.headers : connection.env);
  return values
    .flatMap((value) => [value, ...value.split(/\s+/).slice(1)])
    .filter((value) => value.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
}

/** Compares names, because two copies of the client's package may be installed. */
function isMcpError(error: unknown): boolean {
  return error instanceof Error && error.name === 'McpError';
}

function codeOf(error: unknown): unknown {
  const own = (error as { code?: unknown } | undefined)?.code;
  return own ?? (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
}
