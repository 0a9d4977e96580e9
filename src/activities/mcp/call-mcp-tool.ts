// One call of an MCP server's tool. What the server answers goes to the model; a connection that breaks is tried again. Of a call that is
// made once at most, what is no answer leaves its outcome unknown, unless it was never sent.

import { Context, log } from '@temporalio/activity';
import { errorOutput, type ToolOutput } from '../../core/transcript/tool-output';
import { OutcomeUnknown } from '../../protocol/error-classes';
import type { JsonObject } from '../../base/json';
import { timeouts } from '../../protocol/limits';
import type { ToolSpec } from '../../protocol/spec';
import type { McpServer } from '../../spec/mcp-server';
import { isAnswer, isGarbled, McpUnavailable, reasonOf } from './mcp-failure';
import { mcpOutput } from './mcp-output';
import type { McpPool } from './mcp-pool';

export type McpCall = {
  readonly pool: McpPool;
  readonly server: McpServer;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};

/** Where a server finds the key of a call: the same one in every attempt. */
const keyName = 'longhaul/idempotencyKey';

export async function callMcpTool({
  pool,
  server,
  spec,
  args,
  idempotencyKey,
  signal,
}: McpCall): Promise<ToolOutput> {
  const name = spec.mcp?.tool ?? spec.name;
  const options = { signal, timeout: requestTimeout() };
  const params = { name, arguments: args, _meta: { [keyName]: idempotencyKey } };
  try {
    const result = await pool.use(
      server,
      async (connection) => await connection.callTool(params, options),
    );
    return mcpOutput(spec.name, result);
  } catch (error) {
    if (signal.aborted) throw error;
    return unansweredOutput(error, { spec, server });
  }
}

function unansweredOutput(
  error: unknown,
  { spec, server }: Pick<McpCall, 'spec' | 'server'>,
): ToolOutput {
  const isUnavailable = error instanceof McpUnavailable;
  if (isUnavailable) tellLog(error);
  const isOnce = spec.effect === 'once';
  if (isAnswer(error) && !(isOnce && isGarbled(error)))
    return errorOutput(`The tool '${spec.name}' failed: ${reasonOf(error, server)}`);
  if (!isOnce || (isUnavailable && !error.sent)) throw error;
  const reason = isUnavailable ? error.message : reasonOf(error, server);
  const message = `${reason}. The call may or may not have taken effect: check before repeating it.`;
  throw new OutcomeUnknown(message, { cause: error });
}

/** What a program wrote for its operator is for the operator of the worker, too. */
export function tellLog({ message, said, details }: McpUnavailable): void {
  if (said !== '') log.warn(message, { ...details, stderr: said });
}

/** A little less than the attempt has, so that it ends by saying who did not answer. */
function requestTimeout(): number {
  const { startToCloseTimeoutMs } = Context.current().info;
  const attempt = startToCloseTimeoutMs || timeouts.toolStartToClose;
  return attempt - Math.min(1_000, attempt / 10);
}
