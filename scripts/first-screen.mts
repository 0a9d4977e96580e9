// Plays the first screen of README.md and writes its terminal: the agent that stands there, on a real server, with real commands. Its
// model and its bank are doubles. Needs `jq`. Usage: npm run first-screen
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { startDevServer as StartDevServer } from '../src/server/dev/dev-server.js';

const { startDevServer } = createRequire(import.meta.url)('../dist/server/dev/dev-server.js') as {
  readonly startDevServer: typeof StartDevServer;
};

const root = resolve(import.meta.dirname, '..');
const readmePath = join(root, 'README.md');
const readme = readFileSync(readmePath, 'utf8');
const marked = /<!-- terminal -->[^]*<!-- \/terminal -->/;

/** What the page leaves out. */
const files = {
  'bank.ts': `import { appendFile } from 'node:fs/promises';
export const bank = {
  refund: async (order: string, euros: number) => {
    await appendFile('bank.txt', \`paid back \${euros} euros for order \${order}\\n\`);
    return { order, refunded: euros };
  },
};
`,
  'longhaul.config.ts': `import { support } from './support.ts';
const usage = {
  inputTokens: null, outputTokens: null, totalTokens: null,
  cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null,
};
const refund = { type: 'tool_call', callId: '1', name: 'refund', args: { order: '1042', euros: 480 } };
const answer = { type: 'text', text: 'Order 1042 got its 480 euros back.' };
const call = async ({ model, messages }) => {
  const isDone = messages.some(({ role }) => role === 'tool');
  return {
    content: [isDone ? answer : refund],
    finishReason: isDone ? 'stop' : 'tool_calls',
    usage,
    origin: { provider: 'openai', api: 'double', model },
  };
};
export default { runners: [support], providers: { openai: { name: 'openai', call } } };
`,
};

function agentOfReadme(): string {
  const [, code] = /```ts\n(\/\/ file: support\.ts\n[^]*?)```/.exec(readme) ?? [];
  if (code === undefined || !marked.test(readme)) throw new Error('README.md has no first screen');
  return `import { bank } from './bank.ts';\n${code}`;
}

const folder = mkdtempSync(join(tmpdir(), 'first-screen-'));
mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
symlinkSync(root, join(folder, 'node_modules/longhaul'));
symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
symlinkSync(join(root, 'dist/cli/main.js'), join(folder, 'node_modules/.bin/longhaul'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
for (const [name, text] of Object.entries({ ...files, 'support.ts': agentOfReadme() }))
  writeFileSync(join(folder, name), text);

const server = await startDevServer({ headless: true });
const env = {
  ...process.env,
  NO_COLOR: '1',
  TEMPORAL_ADDRESS: server.address,
  PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH']}`,
};

/** A line that somebody types, and what they read: its standard output. */
function type(command: string, remark = ''): string {
  const typed = command.replace(/^longhaul/, 'npx longhaul');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return `$ ${typed}${remark && `   # ${remark}`}\n${stdout}`;
}

async function startWorker() {
  const worker = spawn('longhaul', ['worker'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data'); // It says what it serves once it does.
  return worker;
}

const read = (command: string): string =>
  spawnSync('longhaul', command.split(' '), { cwd: folder, env, encoding: 'utf8' }).stdout;

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    if (isTrue()) return;
    await pause(1_000);
  }
  throw new Error(`it did not come to that in ${folder}`);
}

let worker = await startWorker();
try {
  const started = type(
    "longhaul run support 'Order 1042 came broken' --as mia --workflow-id ticket-1042 --detach",
  );
  await until(() => read('list --inbox').includes('ticket-1042'));
  const killed = type(`kill -9 ${worker.pid}`, 'the worker dies; a deploy starts another');
  const inbox = type('longhaul list --inbox').replace(/\n\n[^]*/, '\n');
  worker = await startWorker();
  const approvals = ['ada', 'bob'].map((who) =>
    type(`longhaul answer ticket-1042 --approve a1.0 --as ${who}:finance`),
  );
  await until(() => read('show ticket-1042').includes('completed'));
  const audit = type(
    `longhaul show ticket-1042 --audit | jq -c '[.at, .by.id, .kind, .verdict, .args]'`,
  );
  const paid = type('cat bank.txt', 'once');
  const terminal = [started, killed, inbox, ...approvals, audit, paid].join('');
  console.log(terminal);
  const block = `<!-- terminal -->\n\n\`\`\`console\n${terminal}\`\`\`\n\n<!-- /terminal -->`;
  writeFileSync(
    readmePath,
    readme.replace(marked, () => block),
  );
} finally {
  worker.kill('SIGKILL');
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
