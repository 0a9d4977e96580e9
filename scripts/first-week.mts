// Ten things that go wrong in a first week, each done for real: prints what every command says, word for word. On the built package, with a
// Temporal server and a model server of its own. Usage: npm run first-week [-- <name of a case>...]
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { startDevServer as StartDevServer } from '../src/server/dev/dev-server.js';

const { startDevServer } = createRequire(import.meta.url)('../dist/server/dev/dev-server.js') as {
  readonly startDevServer: typeof StartDevServer;
};

const root = resolve(import.meta.dirname, '..');
const cli = join(root, 'dist/cli/main.js');

type Case = {
  readonly name: string;
  readonly model?: string;
  readonly file?: string;
  /** What somebody types first. Default: `run helper hi`. */
  readonly run?: readonly string[];
  /** The flags of the worker that already runs. None runs by default: `run` brings one. */
  readonly worker?: readonly string[];
  readonly flags?: readonly string[];
  /** After `run`: the agents as a later deploy has them. */
  readonly redeploy?: string;
};

const send = `const send = defineTool({ name: 'send_mail', description: 'Sends', needsApproval: true, inputSchema: { type: 'object', properties: {} }, execute: () => 'sent' });`;
const stat = `const stat = defineTool({ name: 'read_file', description: 'Reads', inputSchema: { type: 'object', properties: {} }, execute: async () => { await readFile('/no/such/file'); } });`;

/** The agents of one case. The model calls the agent's first tool, if it has one. */
function agents({
  baseURL,
  tools = '',
  declared = '',
}: {
  baseURL: string;
  tools?: string;
  declared?: string;
}): string {
  return `import { defineAgent, defineTool } from 'longhaul';
import { readFile } from 'node:fs/promises';
${declared}
export default {
  runners: [defineAgent({ id: 'helper', model: 'local/small', tools: [${tools}] })],
  providers: { local: { baseURL: '${baseURL}', apiKey: 'sk-of-last-month' } },
};
`;
}

/** Answers as OpenAI's Chat Completions do; the path says how. */
const model = createServer((request, response) => {
  void (async () => {
    const body = JSON.parse((await text(request)) || '{}') as {
      tools?: { function: { name: string } }[];
      messages: { role: string }[];
    };
    const refuse = (status: number, error: object): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error }));
    if (request.url?.startsWith('/expired'))
      return refuse(401, {
        message: 'Incorrect API key provided.',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      });
    if (request.url?.startsWith('/full'))
      return refuse(400, {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      });
    if (request.url !== '/v1/chat/completions')
      return refuse(404, {
        message: `Unknown request URL: POST ${request.url}`,
        type: 'invalid_request_error',
        code: 'unknown_url',
      });
    const [tool] = body.tools ?? [];
    const isFirst = body.messages.at(-1)?.role === 'user';
    const delta =
      isFirst && tool
        ? {
            tool_calls: [
              {
                index: 0,
                id: 'call_1',
                type: 'function',
                function: { name: tool.function.name, arguments: '{}' },
              },
            ],
          }
        : { content: 'Hello.' };
    const chunk = (fields: object): string =>
      `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'small', ...fields })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      chunk({
        choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }],
      }),
    );
    response.write(
      chunk({
        choices: [{ index: 0, delta: {}, finish_reason: delta.content ? 'stop' : 'tool_calls' }],
      }),
    );
    response.end(
      `${chunk({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } })}data: [DONE]\n\n`,
    );
  })();
});
await new Promise<void>((started) => model.listen(0, '127.0.0.1', started));
const { port } = model.address() as AddressInfo;
const at = (path: string): string => `http://127.0.0.1:${port}${path}`;
const good = at('/v1');

const start = ['run', 'helper', 'hi'];

const cases: readonly Case[] = [
  { name: 'wrong URL of the model', file: agents({ baseURL: at('/v2') }) },
  {
    name: 'wrong address of the server',
    file: agents({ baseURL: good }),
    flags: ['--address', '127.0.0.1:9'],
  },
  { name: 'dead provider', file: agents({ baseURL: 'http://127.0.0.1:4999/v1' }) },
  { name: 'missing tool', file: agents({ baseURL: good, tools: "'send_mial'", declared: send }) },
  { name: 'no worker', file: agents({ baseURL: good }), run: [...start, '--no-worker'] },
  {
    name: 'wrong queue',
    file: agents({ baseURL: good }),
    worker: ['--task-queue', 'agents'],
    run: [...start, '--no-worker', '--task-queue', 'agent'],
  },
  {
    name: 'wrong namespace',
    file: agents({ baseURL: good }),
    flags: ['--namespace', 'production'],
  },
  { name: 'throwing tool', file: agents({ baseURL: good, tools: 'stat', declared: stat }) },
  { name: 'expired key', file: agents({ baseURL: at('/expired/v1') }) },
  { name: 'full context', file: agents({ baseURL: at('/full/v1') }) },
  {
    name: 'stuck deploy',
    file: agents({ baseURL: good, tools: 'send', declared: send }),
    redeploy: agents({ baseURL: good }),
  },
];

const folder = mkdtempSync(join(tmpdir(), 'first-week-'));
const server = await startDevServer({ headless: true });
const wanted = process.argv.slice(2);
const started: ChildProcess[] = [];
try {
  for (const each of cases.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
    await show(each);
} finally {
  for (const child of started) child.kill('SIGKILL');
  await server.stop();
  model.close();
  rmSync(folder, { recursive: true });
}

async function show({
  name,
  file,
  run = start,
  worker,
  flags = [],
  redeploy,
}: Case): Promise<void> {
  console.log(`\n${'='.repeat(100)}\n${name}\n${'='.repeat(100)}`);
  const home = join(folder, name.replaceAll(' ', '-'));
  mkdirSync(join(home, 'node_modules'), { recursive: true });
  symlinkSync(root, join(home, 'node_modules/longhaul'));
  const config = join(home, 'longhaul.config.mjs');
  if (file !== undefined) writeFileSync(config, file);
  const queue = ['--task-queue', home.split('/').at(-1) ?? ''];
  const id = `first-week-${home.split('/').at(-1)}`;
  const serving = worker && begin(home, ['worker', ...worker, ...flags]);
  if (serving) await pause(8_000);
  const taken = worker === undefined ? queue : [];
  await say(home, [...run, ...taken, '--workflow-id', id, ...flags], { forMs: 30_000 });
  let later: Running | undefined;
  if (redeploy !== undefined) {
    writeFileSync(config, redeploy);
    later = begin(home, ['worker', ...queue, ...flags]);
    await pause(8_000);
    await say(home, ['answer', id, '--approve', 'a1.0', ...flags]);
    await pause(4_000);
  }
  for (const command of [
    ['show', id],
    ['show', id, '--trace'],
    ['list'],
    ['show', id, '--why'],
    ['doctor', ...queue],
  ])
    await say(home, [...command, ...flags]);
  for (const process of [serving, later])
    if (process !== undefined) {
      process.child.kill('SIGTERM');
      console.log(`\n$ longhaul worker   (its log)\n${await process.output}`);
    }
}

type Running = { readonly child: ChildProcess; readonly output: Promise<string> };

/** Starts a command line whose output is read at its end. */
function begin(cwd: string, args: readonly string[]): Running {
  const env = { ...process.env, TEMPORAL_ADDRESS: server.address, NO_COLOR: '1', COLUMNS: '100' };
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([out, notes]) => out + notes,
  );
  return { child, output };
}

/** Prints a command line and what it says; ends it with Ctrl-C after `forMs`. */
async function say(cwd: string, args: readonly string[], { forMs = 60_000 } = {}): Promise<void> {
  const { child, output } = begin(cwd, args);
  const timer = setTimeout(() => child.kill('SIGINT'), forMs);
  const said = await output;
  clearTimeout(timer);
  console.log(
    `\n$ longhaul ${args.join(' ')}   (exit ${child.exitCode ?? child.signalCode})\n${said.trimEnd()}`,
  );
}
