import { LonghaulError } from '../../protocol/errors';
import { clipText } from '../../core/text';

const reasonLength = 1_000;
/** The client's own codes, which no server answers with while the connection holds. */
const timedOutCode = -32_001;

/** Nobody answered: the server is down, unreachable, or the connection broke. Another attempt may find it up. */
export class McpUnavailable extends LonghaulError {
  /** Whether the request may have reached the server before the connection broke. */
  readonly sent: boolean;

  constructor(server: string, reason: string, { cause, sent }: { cause: unknown; sent: boolean }) {
    const message = clipText(`MCP server '${server}' is not available: ${reason}`, reasonLength);
    super('ToolError', message, {
      cause,
      retryable: !isHopeless(cause),
      details: { mcpServer: server },
    });
    this.sent = sent;
  }
}

/** There is no such program, or the server does not let this worker in: waiting changes neither. */
function isHopeless(error: unknown): boolean {
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

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

/** By name: two copies of the client's package may be installed. */
function isMcpError(error: unknown): boolean {
  return error instanceof Error && error.name === 'McpError';
}

function codeOf(error: unknown): unknown {
  const own = (error as { code?: unknown } | undefined)?.code;
  return own ?? (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
}
