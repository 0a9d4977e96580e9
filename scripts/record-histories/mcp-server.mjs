// An MCP server for the recording: one tool, on standard input and output.
import { createInterface } from 'node:readline';

const tool = {
  name: 'page',
  description: 'Reads a page',
  inputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
  annotations: { readOnlyHint: true },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'pages', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { number } }) => ({
    content: [{ type: 'text', text: `page ${number}` }],
  }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const reply = result ? { result } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
});
