// MCP connections against the reference servers, which run as programs of their own; no Temporal server.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mcpTools, type JsonObject, type McpServer } from '../../src';
import { isAnswer, McpUnavailable, mcpFailureReason } from '../../src/activities/mcp/mcp-failure';
import { mcpOutput } from '../../src/activities/mcp/mcp-tools';
import { McpPool } from '../../src/activities/mcp/mcp-pool';
import type { ToolOutput } from '../../src/core/transcript/tool-output';
import { mcpToolSpecs } from '../../src/define/mcp-tool-spec';
import { everything, files, listening, odd, serveEverything, serveOdd } from './mcp-servers';

const signal = new AbortController().signal;

let pool: McpPool;

const list = async (server: McpServer) =>
  mcpToolSpecs(server, await pool.use(server, (connection) => connection.listTools(signal))).specs;

const call = async (
  server: McpServer,
  name: string,
  args: JsonObject = {},
  timeout = 5_000,
): Promise<ToolOutput> =>
  mcpOutput(
    name,
    await pool.use(server, (connection) =>
      connection.callTool({ name, arguments: args }, { signal, timeout }),
    ),
  );

const pidOf = (server: McpServer): Promise<number> =>
  pool.use(server, async ({ pid }) => pid ?? -1);

describe('calls of one MCP server', () => {
  beforeAll(() => {
    pool = new McpPool();
  });
  afterAll(() => pool.close());

  it.each([
    {
      kind: 'structured content as JSON',
      tool: 'get-structured-content',
      args: { location: 'New York' },
      content: [{ type: 'json', value: { temperature: 33, conditions: 'Cloudy', humidity: 82 } }],
    },
    {
      kind: 'a picture between texts',
      tool: 'get-tiny-image',
      args: {},
      content: [
        { type: 'text', text: expect.stringContaining("Here's the image") as string },
        {
          type: 'media',
          mediaType: 'image/png',
          source: { kind: 'base64', data: expect.stringMatching(/^iVBOR/) as string },
        },
        { type: 'text', text: expect.stringContaining('image above') as string },
      ],
    },
    {
      kind: 'a text resource',
      tool: 'get-resource-reference',
      args: { resourceType: 'Text', resourceId: 1 },
      content: [{ type: 'text', text: expect.stringContaining('plaintext resource') as string }],
    },
    {
      kind: 'a resource of bytes that are text',
      tool: 'get-resource-reference',
      args: { resourceType: 'Blob', resourceId: 2 },
      content: [{ type: 'text', text: expect.stringContaining('is a base64 blob') as string }],
    },
    {
      kind: 'links',
      tool: 'get-resource-links',
      args: { count: 2 },
      content: [{ type: 'text', text: expect.stringContaining('demo://resource/') as string }],
    },
  ])('give $kind', async ({ tool, args, content }) => {
    expect(await call(everything(), tool, args)).toEqual({ isError: false, content });
  });

  it.each([
    { fault: 'an unknown tool', tool: 'nope', text: /Tool nope not found/ },
    { fault: 'bad arguments', tool: 'echo', text: /Invalid arguments for tool echo/ },
  ])('answer $fault with an error result', async ({ tool, text }) => {
    expect(await call(everything(), tool)).toEqual({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(text) as string }],
    });
  });
});

describe('MCP servers', () => {
  beforeEach(() => {
    pool = new McpPool();
  });
  afterEach(() => pool.close());

  it.each([
    {
      transport: 'stdio',
      open: async () => ({ server: everything(), stop: async () => undefined }),
    },
    {
      transport: 'streamable HTTP',
      open: async () => {
        const { url, stop } = await serveEverything();
        return { server: mcpTools({ name: 'everything', url }), stop };
      },
    },
  ])('are listed and called over $transport', async ({ open }) => {
    const { server, stop } = await open();
    try {
      const tools = await list(server);
      expect(tools.map(({ name }) => name)).toContain('everything__get-sum');
      expect(tools.find(({ name }) => name === 'everything__echo')).toMatchObject({
        description: 'Echoes back the input string',
        effect: 'read',
        inputSchema: { type: 'object', required: ['message'] },
        mcp: { server: 'everything', tool: 'echo' },
      });
      expect(await call(server, 'echo', { message: 'hi' })).toEqual({
        isError: false,
        content: [{ type: 'text', text: 'Echo: hi' }],
      });
    } finally {
      await pool.close();
      await stop();
    }
  });

  it('keep to the folder they were given', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-mcp-'));
    try {
      await writeFile(join(folder, 'note.txt'), 'remember the milk');
      const server = files(folder, { include: ['read_text_file', 'write_file', 'move_file'] });
      const tools = await list(server);
      expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
        ['files__read_text_file', 'read'],
        ['files__write_file', 'idempotent'],
        ['files__move_file', 'once'],
      ]);
      const note = await call(server, 'read_text_file', { path: join(folder, 'note.txt') });
      expect(note.content).toEqual([{ type: 'json', value: { content: 'remember the milk' } }]);
      expect(await call(server, 'read_text_file', { path: '/etc/passwd' })).toEqual({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('Access denied') as string }],
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('share one process among calls, which ends with the pool', async () => {
    const server = everything();
    const pids = await Promise.all([1, 2, 3].map(() => pidOf(server)));
    expect(new Set(pids).size).toBe(1);
    await pool.close();
    expect(() => process.kill(pids[0] ?? 0, 0)).toThrow('ESRCH');
    await expect(pidOf(server)).rejects.toThrow('this worker is shutting down');
  });

  it('are started again when their process died, during a call or between', async () => {
    const server = odd();
    const first = await pidOf(server);
    await expect(call(server, 'crash')).rejects.toMatchObject({
      code: 'ToolError',
      retryable: true,
      sent: true,
      message: expect.stringContaining("MCP server 'odd' is not available") as string,
    });
    const second = await pidOf(server);
    expect(second).not.toBe(first);
    process.kill(second, 'SIGKILL');
    await expect(call(server, 'silent')).rejects.toBeInstanceOf(McpUnavailable);
    expect(await call(server, 'silent')).toEqual({
      isError: false,
      content: [{ type: 'json', value: null }],
    });
  });

  it('are reached again after an HTTP server restarted and forgot its sessions', async () => {
    const first = await serveEverything();
    const server = mcpTools({ name: 'everything', url: first.url });
    await call(server, 'echo', { message: 'one' });
    await first.stop();
    await expect(call(server, 'echo', { message: 'two' })).rejects.toMatchObject({
      retryable: true,
    });
    const second = await serveEverything(Number(new URL(first.url).port));
    try {
      expect((await call(server, 'echo', { message: 'three' })).isError).toBe(false);
    } finally {
      await pool.close();
      await second.stop();
    }
  });

  it.each([
    { name: 'keep their connection when a call takes too long', env: {}, isKept: true },
    {
      name: 'are started again when they answer nothing at all',
      env: { ODD_DEAF: '1' },
      isKept: false,
    },
  ])('$name', async ({ env, isKept }) => {
    const slow = odd(env);
    const pid = await pidOf(slow);
    await expect(call(slow, 'hang', {}, 50)).rejects.toMatchObject({ retryable: true, sent: true });
    expect((await pidOf(slow)) === pid).toBe(isKept);
  });

  it.each([
    { answer: 'an error', tool: 'refuse', message: /no such thing/ },
    { answer: 'what is no result', tool: 'garble', message: /content/ },
  ])('may answer with $answer, which is not a broken connection', async ({ tool, message }) => {
    const error: unknown = await call(odd(), tool).catch((reason: unknown) => reason);
    expect(isAnswer(error)).toBe(true);
    expect(String(error)).toMatch(message);
  });

  it('list page after page, but not without end', async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    const pages = JSON.stringify([[tool('a')], [tool('b')]]);
    expect((await list(odd({ ODD_TOOLS: pages }))).map(({ name }) => name)).toEqual([
      'odd__a',
      'odd__b',
    ]);
    await expect(list(odd({ ODD_ENDLESS: '1' }, { name: 'endless' }))).rejects.toMatchObject({
      code: 'SpecError',
    });
  });

  it.each([
    {
      fault: 'ends at once',
      server: () => odd({ ODD_BROKEN: '1' }),
      expected: {
        retryable: true,
        message: expect.stringMatching(
          /^MCP server 'odd' is not available: [^;]*Connection closed; what it said is in the worker's log$/,
        ) as string,
        said: 'odd server started\ncannot work with 1',
      },
    },
    {
      fault: 'does not exist',
      server: () => mcpTools({ name: 'odd', stdio: { command: 'no-such-program' } }),
      expected: { retryable: false, message: expect.stringContaining('ENOENT') as string },
    },
    {
      fault: 'listens nowhere',
      server: () => mcpTools({ name: 'odd', url: 'http://127.0.0.1:9/mcp' }),
      expected: { retryable: true, message: expect.stringContaining('fetch failed') as string },
    },
  ])('say why not when one $fault', async ({ server, expected }) => {
    await expect(pidOf(server())).rejects.toMatchObject({ sent: false, ...expected });
  });

  it.each([
    { transport: 'stdio', open: async () => ({ server: odd(), stop: async () => undefined }) },
    {
      transport: 'streamable HTTP, as JSON',
      open: () => serveOdd('application/json', (text) => text),
    },
    {
      transport: 'streamable HTTP, as a stream',
      open: () => serveOdd('text/event-stream', (text) => `: ping\n\ndata: ${text}\n\n`),
    },
  ])('may not flood this process over $transport', async ({ open }) => {
    const { server, stop } = await open();
    try {
      expect((await call(server, 'wordy', { length: 1_000_000 })).isError).toBe(false);
      await expect(call(server, 'wordy', { length: 5_000_000 })).rejects.toMatchObject({
        retryable: false,
        message: expect.stringContaining('it sent a message of more than 4 MiB') as string,
      });
    } finally {
      await pool.close();
      await stop();
    }
  });

  it('tell neither a run nor a log what they were given to keep', async () => {
    const secret = 'correct horse battery';
    const server = odd({ ODD_BROKEN: secret });
    const error: unknown = await pidOf(server).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ said: 'odd server started\ncannot work with [redacted]' });
    expect(String(error)).not.toContain(secret);
    const refused: unknown = await call(odd({ OWN: secret }, { name: 'o' }), 'tell').catch(
      (reason: unknown) => reason,
    );
    expect(mcpFailureReason(refused, odd({ OWN: secret }))).toContain('I have [redacted]');
  });

  it('give their credentials to no other origin', async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers['x-api-key']?.toString());
      response.writeHead(500).end();
    });
    const redirecting = createServer((_request, response) => {
      const { port } = other.address() as AddressInfo;
      response.writeHead(307, { location: `http://127.0.0.1:${port}/mcp` }).end();
    });
    await Promise.all([other, redirecting].map(listening));
    const { port } = redirecting.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    const server = mcpTools({ name: 'moved', url, headers: { 'x-api-key': 'secret-key' } });
    await expect(pidOf(server)).rejects.toThrow(/Redirect to .* not followed/);
    expect(seen).toEqual([]);
    for (const each of [other, redirecting]) each.close();
  });

  it('get no variable of this process but harmless ones and their own', async () => {
    process.env['LONGHAUL_TEST_SECRET'] = 'sk-secret';
    try {
      const stdio = everything().connection;
      if (stdio.kind !== 'stdio') throw new Error('not stdio');
      const { command, args } = stdio;
      const server = everything({ stdio: { command, args, env: { OWN: 'given' } } });
      const shown = JSON.stringify(await call(server, 'get-env'));
      expect(shown).toContain('given');
      expect(shown).not.toContain('sk-secret');
    } finally {
      delete process.env['LONGHAUL_TEST_SECRET'];
    }
  });
});
