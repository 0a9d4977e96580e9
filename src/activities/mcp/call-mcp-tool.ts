// One call of an MCP server's tool. What the server answers goes to the model; a connection that breaks is tried again. Of a call that is
// made once at most, what is no answer leaves its outcome unknown, unless it was never sent.

import { Context, log } from '@temporalio/activity';
import { errorOutput, type ToolOutput, toToolOutput } from '../../core/transcript/tool-output';
import { LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { limits, timeouts } from '../../protocol/limits';
import type { ToolSpec } from '../../protocol/spec';
import type { McpServer } from '../../define/mcp-server';
import { isAnswer, isGarbled, McpUnavailable, reasonOf } from './mcp-failure';
import type { McpPool } from './mcp-pool';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { utf8Length } from '../../base/text';
import type { ToolContent } from '../../protocol/message';

/** What every provider takes as a picture. */
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const roomForText = limits.toolResultShown;

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
  throw new LonghaulError('OutcomeUnknown', message, { cause: error });
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

// What an MCP server answered, as the model is shown it.

type Block = CallToolResult['content'][number];

type Media = Extract<ToolContent, { type: 'media' }>;

type Data = { readonly data: string; readonly mimeType: string | undefined };

/** Structured content stands for the text beside it, as the protocol says; not for pictures, which it holds as text. */
export function mcpOutput(
  tool: string,
  { content, structuredContent, isError }: CallToolResult,
): ToolOutput {
  const media: Media[] = [];
  const texts: string[] = [];
  let room = limits.toolResultStored - roomForText;
  for (const block of content) {
    const picture = pictureOf(block);
    if (picture !== undefined && picture.data.length <= room) {
      room -= picture.data.length;
      media.push({
        type: 'media',
        mediaType: picture.mimeType,
        source: { kind: 'base64', data: picture.data },
      });
    } else texts.push(textOf(block));
  }
  const text = texts.filter((part) => part !== '').join('\n');
  if (isError === true)
    return errorOutput(text || `The tool '${tool}' failed and did not say why.`);
  if (media.length === 0 && structuredContent !== undefined)
    return toToolOutput(tool, structuredContent);
  if (media.length === 0) return toToolOutput(tool, text || null);
  const shown = text === '' ? [] : toToolOutput(tool, text, roomForText).content;
  return { isError: false, content: [...shown, ...media] };
}

function pictureOf(block: Block): { data: string; mimeType: string } | undefined {
  const { data, mimeType } = dataOf(block) ?? {};
  if (data === undefined || mimeType === undefined || !imageTypes.has(mimeType)) return undefined;
  // A provider refuses anything else, for this call and for every later one of the run.
  const isBase64 = data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+=*$/.test(data);
  return isBase64 ? { data, mimeType } : undefined;
}

function dataOf(block: Block): Data | undefined {
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return { data: block.resource.blob, mimeType: block.resource.mimeType };
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') {
    return [block.name, block.description, block.uri].filter(Boolean).join(': ');
  }
  if (block.type === 'resource' && 'text' in block.resource) return block.resource.text;
  const { data = '', mimeType = 'of an unknown type' } = dataOf(block) ?? {};
  const place = block.type === 'resource' ? ` ${block.resource.uri}` : '';
  return `[${block.type}${place} ${mimeType}, ${utf8Length(data)} bytes of base64: not shown]`;
}
