import { clipText } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { redact } from '../../providers/redact';
import type { McpServer } from '../../define/mcp-server';

const reasonLength = 1_000;
/** As much of a server's text as is looked at. */
const readCharacters = 8_192;
/** Shorter values are words such as `true`. */
const shortestSecret = 6;
/** The client's own codes, which no server answers with while the connection holds. */
const timedOutCode = -32_001;

/** Nobody answered: the server is down, unreachable, or the connection broke. Another attempt may find it up. */
export class McpUnavailable extends LonghaulError {
  /** Whether the request may have reached the server before the connection broke. */
  readonly sent: boolean;
  /** What the server's program wrote last on its standard error: for the worker's log, never for a run. */
  readonly said: string;

  constructor(server: McpServer, { cause, sent, said = '' }: Unavailability) {
    const hint = said === '' ? '' : "; what it said is in the worker's log";
    const reason = `MCP server '${server.name}' is not available: ${reasonOf(cause, server)}`;
    super('ToolError', clipText(reason, reasonLength) + hint, {
      cause,
      retryable: !isHopeless(cause),
      details: { mcpServer: server.name },
    });
    this.sent = sent;
    this.said = redact(said, secretsOf(server));
  }
}

type Unavailability = { readonly cause: unknown; readonly sent: boolean; readonly said?: string };

/** There is no such program, the server does not let this worker in, or it sends too much: waiting changes none of it. */
function isHopeless(error: unknown): boolean {
  if (LonghaulError.is(error)) return !error.retryable;
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'EACCES' || code === 401 || code === 403;
}

/** The server itself said that it will not do this, or said something that is no MCP: an answer like any other. */
export function isAnswer(error: unknown): boolean {
  return isGarbled(error) || (isMcpError(error) && codeOf(error) !== timedOutCode);
}

/** An answer came, but none that could be read. */
export function isGarbled(error: unknown): boolean {
  return error instanceof Error && error.name.endsWith('ZodError');
}

export function isTimeout(error: unknown): boolean {
  return isMcpError(error) && codeOf(error) === timedOutCode;
}

/** What an error says, without the credentials that the server was given. */
export function reasonOf(error: unknown, server: McpServer): string {
  if (!(error instanceof Error)) return redact(String(error), secretsOf(server));
  const { cause, message } = error;
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
  return redact(reason.slice(0, readCharacters), secretsOf(server));
}

/** The values of a server's environment and headers, and what follows the scheme in one such as `Bearer …`. */
function secretsOf({ connection }: McpServer): readonly string[] {
  const values = Object.values(connection.kind === 'http' ? connection.headers : connection.env);
  return values
    .flatMap((value) => [value, ...value.split(/\s+/).slice(1)])
    .filter((value) => value.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
}

/** By name: two copies of the client's package may be installed. */
function isMcpError(error: unknown): boolean {
  return error instanceof Error && error.name === 'McpError';
}

function codeOf(error: unknown): unknown {
  const own = (error as { code?: unknown } | undefined)?.code;
  return own ?? (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
}
