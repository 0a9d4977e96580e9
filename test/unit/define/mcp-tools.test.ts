// Pure: no server.
import { defineAgent, mcpTools, type McpServer, type McpToolsOptions } from '../../../src';
import { limits } from '../../../src/protocol/limits';
import type { ToolSpec } from '../../../src/protocol/spec';
import { mcpServersOf, withMcpTools } from '../../../src/define/mcp-definition';
import { mcpToolSpecs, mcpToolName, type ListedMcpTool } from '../../../src/define/mcp-tool-spec';
import { createRegistry } from '../../../src/define/registry';
import { aTool, anAgent, refusalOf } from './builders';

const stdio = { command: 'serve' };
const serverOf = (options: Partial<McpToolsOptions> = {}) =>
  mcpTools({ name: 'files', stdio, ...options });
const tool = (name: string, more: Partial<ListedMcpTool> = {}): ListedMcpTool => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});

const specsOf = (server: McpServer, tools: readonly ListedMcpTool[]) =>
  mcpToolSpecs(server, tools).specs;

/** Thirty levels, each of which refers twice to the one below. */
const tower = {
  type: 'object',
  $ref: '#/$defs/d29',
  $defs: Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => {
      const below = { $ref: `#/$defs/d${level - 1}` };
      return [`d${level}`, level === 0 ? {} : { anyOf: [below, { ...below }] }];
    }),
  ),
};

describe('mcpTools', () => {
  it('knows how the server is reached', () => {
    const program = { command: 'serve', args: ['-q'], env: { KEY: 'v' }, cwd: '/srv' };
    expect(serverOf({ stdio: program })).toEqual({
      kind: 'mcp-server',
      name: 'files',
      prefix: 'files__',
      connection: { kind: 'stdio', ...program },
      rules: {},
    });
    const url = 'https://tickets.example.com/mcp';
    expect(mcpTools({ name: 'tickets', url, headers: { a: 'b' } }).connection).toEqual({
      kind: 'http',
      url,
      headers: { a: 'b' },
    });
  });

  it.each<{ name: string; options: object; problem: RegExp }>([
    {
      name: 'no way to reach it',
      options: { stdio: undefined },
      problem: /exactly one of stdio and url/,
    },
    { name: 'two ways', options: { url: 'http://a/mcp' }, problem: /exactly one of stdio and url/ },
    { name: 'a long name', options: { name: 'x'.repeat(33) }, problem: /1 to 32 letters/ },
    { name: 'no program', options: { stdio: {} }, problem: /stdio.command is required/ },
    {
      name: 'a file URL',
      options: { stdio: undefined, url: 'file:///x' },
      problem: /http or https/,
    },
    { name: 'headers of a program', options: { headers: { a: 'b' } }, problem: /headers go with/ },
    { name: 'an empty choice', options: { include: [] }, problem: /include must not be empty/ },
    {
      name: 'a number in env',
      options: { stdio: { command: 'x', env: { A: 1 } } },
      problem: /env/,
    },
    { name: 'an unknown option', options: { includes: ['a'] }, problem: /did you mean 'include'/ },
  ])('refuses $name', ({ options, problem }) => {
    expect(refusalOf(() => serverOf(options))).toMatch(problem);
  });
});

describe('mcpToolSpecs', () => {
  it('keeps what the server says and what holds for all its tools', () => {
    const server = serverOf({ onError: 'fail', timeout: '5s', retry: { maximumAttempts: 2 } });
    expect(specsOf(server, [tool('read', { description: 'Reads', title: 'R' })])).toEqual([
      {
        name: 'files__read',
        description: 'Reads',
        inputSchema: { type: 'object' },
        effect: 'once',
        onError: 'fail',
        timeoutMs: 5_000,
        retry: { maximumAttempts: 2 },
        mcp: { server: 'files', tool: 'read' },
      },
    ]);
  });

  it.each([
    { hints: { readOnlyHint: true, idempotentHint: false }, effect: 'read' },
    { hints: { idempotentHint: true, destructiveHint: false }, effect: 'idempotent' },
    { hints: { idempotentHint: false }, effect: 'once', asks: true },
    { hints: { destructiveHint: true }, effect: 'idempotent', unsaid: 'once', asks: true },
    { hints: undefined, effect: 'idempotent', unsaid: 'once', asks: true },
  ])('takes $hints as effect $effect', ({ hints, effect, unsaid = effect, asks = false }) => {
    const server = serverOf({ effect: 'idempotent', approveDestructive: true });
    const [spec] = specsOf(server, [tool('t', { annotations: hints })]);
    expect([spec?.effect, spec?.needsApproval ?? false]).toEqual([effect, asks]);
    const [unasked] = specsOf(serverOf(), [tool('t', { annotations: hints })]);
    expect(unasked?.needsApproval).toBeUndefined();
    expect(unasked?.effect).toBe(unsaid);
  });

  it('chooses, and leaves out what a plain call cannot reach', () => {
    const listed = [tool('a'), tool('b'), tool('c', { execution: { taskSupport: 'required' } })];
    const names = (options: Partial<McpToolsOptions>) =>
      specsOf(serverOf(options), listed).map(({ name }) => name);
    expect(names({})).toEqual(['files__a', 'files__b']);
    expect(names({ include: ['b'] })).toEqual(['files__b']);
    expect(names({ exclude: ['b'] })).toEqual(['files__a']);
    expect(names({ prefix: 'fs' })).toEqual(['fs__a', 'fs__b']);
    expect(names({ prefix: false })).toEqual(['a', 'b']);
  });

  it.each([
    {
      fault: 'an unknown choice',
      options: { exclude: ['b'] },
      tools: [tool('a')],
      text: /has no tool 'b'/,
    },
  ])('refuses $fault', ({ options, tools, text }) => {
    expect(refusalOf(() => mcpToolSpecs(serverOf(options), tools))).toMatch(text);
  });

  it.each<{ fault: string; bad: ListedMcpTool[]; reason: RegExp }>([
    {
      fault: 'two names that become one',
      bad: [tool('a.b'), tool('a/b')],
      reason: /comes to the same name, 'files__a_b', as another one \('a.b' and 'a\/b'\)/,
    },
    {
      fault: 'a schema that is no JSON',
      bad: [tool('a', { inputSchema: { type: 'object', default: Infinity } })],
      reason: /has a schema that is no JSON/,
    },
    {
      fault: 'a schema that nobody can afford to check',
      bad: [tool('a', { inputSchema: tower })],
      reason: /has a schema that comes to more than 50,000 parts/,
    },
    {
      fault: 'too long a description',
      bad: [tool('a', { description: 'x'.repeat(200_000) })],
      reason: /has \d+ bytes with its description; at most 131072 are taken/,
    },
    {
      fault: 'what is no tool',
      bad: [{ name: 'a', inputSchema: {}, fault: 'is no tool: inputSchema' }],
      reason: /is no tool/,
    },
  ])('leaves out $fault, and nothing else', ({ bad, reason }) => {
    const { specs, leftOut } = mcpToolSpecs(serverOf(), [tool('good'), ...bad]);
    expect(specs.map(({ name }) => name)).toEqual(['files__good']);
    expect(leftOut.map((left) => left.tool)).toEqual(bad.map(({ name }) => name));
    for (const left of leftOut) expect(left.reason).toMatch(reason);
    const asked = serverOf({ include: bad.map(({ name }) => name) });
    expect(refusalOf(() => mcpToolSpecs(asked, bad))).toMatch(reason);
  });

  it('clips long names to ones that differ and stay the same', () => {
    const long = (last: string) => mcpToolName('files__', `${'x'.repeat(100)}${last}`);
    expect(long('a')).toHaveLength(64);
    expect(long('a')).toBe(long('a'));
    expect(long('a')).not.toBe(long('b'));
  });
});

describe('withMcpTools', () => {
  const server = serverOf();
  const definitionOf = (options: Parameters<typeof anAgent>[0] = {}) =>
    createRegistry({ runners: [anAgent({ tools: [server], ...options })] }).definition('weather');
  const listings = (...tools: readonly string[]): ReadonlyMap<string, ToolSpec[]> =>
    new Map([
      [
        'files',
        specsOf(
          server,
          tools.map((name) => tool(name)),
        ),
      ],
    ]);

  it('puts the tools in place of the server', () => {
    const definition = definitionOf({ tools: [aTool('own'), server] });
    expect(mcpServersOf(definition)).toEqual(['files']);
    const listed = withMcpTools(definition, listings('a', 'b'));
    expect(listed.runners['weather']).toMatchObject({ tools: ['own', 'files__a', 'files__b'] });
    expect(Object.keys(listed.tools)).toEqual(['own', 'files__a', 'files__b']);
    expect(mcpServersOf(listed)).toEqual([]);
  });

  it('takes a choice of tools that are listed', () => {
    const definition = definitionOf({ toolChoice: { only: ['files__a'] } });
    expect(withMcpTools(definition, listings('a')).tools).toHaveProperty('files__a');
    expect(refusalOf(() => withMcpTools(definition, listings('b')))).toMatch(
      /toolChoice.only\[0\] must be a tool of the agent, not 'files__a'/,
    );
  });

  it('refuses a tool with the name of another one', () => {
    const definition = definitionOf({ tools: [aTool('files__a'), server] });
    expect(refusalOf(() => withMcpTools(definition, listings('a')))).toMatch(
      /MCP server 'files' has a tool 'files__a', and so has another tool: give the server another prefix/,
    );
  });

  it('refuses what is too large, and says whose fault it is', () => {
    const description = 'x'.repeat(limits.definition / 5);
    const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => tool(name, { description }));
    const large = new Map([['files', specsOf(server, tools)]]);
    expect(refusalOf(() => withMcpTools(definitionOf(), large))).toMatch(
      /The tools of MCP server 'files' take \d+ KiB: choose some of them with include/,
    );
  });

  it('needs the server to be known, once', () => {
    const other = anAgent({ id: 'other', tools: [serverOf()] });
    expect(
      refusalOf(() => createRegistry({ runners: [anAgent({ tools: [server] }), other] })),
    ).toMatch(/has another MCP server 'files' than agent 'weather'/);
    const spec = { ...anAgent().spec, mcpServers: ['fils'] };
    const registry = createRegistry({ mcpServers: [server] });
    expect(refusalOf(() => registry.definition(spec))).toMatch(
      /uses the MCP server 'fils', which is not registered here.*did you mean 'files'/,
    );
    expect(
      refusalOf(() => defineAgent({ id: 'a', model: 'p/m', tools: [server, server] })),
    ).toMatch(/holds MCP server 'files' twice/);
  });
});
