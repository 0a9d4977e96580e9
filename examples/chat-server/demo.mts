// `npm run example chat-server`: one conversation over two backends that know nothing of each other.
// Usage: npm run example chat-server -- [what to say, one argument a message]
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'longhaul/client';
import { toNode } from 'longhaul/http';
import { runDemo } from '../shared/run-demo.mts';
import type { Screen } from '../shared/screen.mts';
import { openStage, type StageHands } from '../shared/stage.mts';
import { chatApp } from './chat-app.mts';
import { nextTurn } from './offline-script.mts';

const messages = ['Hello, I am Ada, in room 12.', 'Please wake me tomorrow.', 'Who am I again?'];
const wakeUp = '7:15';

type Reply = {
  readonly answer?: string;
  readonly question?: string;
  readonly inputId?: string;
  readonly error?: string;
};

async function demo({ screen, cleanups }: StageHands): Promise<void> {
  const worker = new URL('worker.mts', import.meta.url);
  const stage = await openStage({ script: nextTurn, worker }, { screen, cleanups });
  await stage.startWorker();
  const backends = [
    await startBackend(stage.address, { screen, cleanups }),
    await startBackend(stage.address, { screen, cleanups }),
  ];
  const chat = `stay-${randomUUID().slice(0, 8)}`;
  const given = process.argv.slice(2);
  screen.gap();
  for (const [index, text] of (given.length > 0 ? given : messages).entries()) {
    await say(text, { url: `${backends[index % 2]}/chats/${chat}`, screen });
  }
  const turns = await ask(`${backends[0]}/chats/${chat}/messages`);
  screen.gap();
  screen.line('history', `${(turns as object[]).length} turns, the same from either backend`);
  const { threadId } = stage.longhaul.thread({
    agent: 'concierge',
    appName: 'hotel',
    userId: 'ada',
    sessionId: chat,
  });
  screen.line('look', stage.pageOf(threadId), 'green');
  if (screen.isInteractive) await screen.ask('Press Enter to stop the server and the worker. ');
  await stage.longhaul.close();
}

/** A process of its own in production: it shares nothing with the other one but the Temporal server. */
async function startBackend(address: string, { screen, cleanups }: StageHands): Promise<string> {
  const longhaul = await connect({ address });
  const server = createServer(toNode(chatApp(longhaul).fetch));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.close();
    await longhaul.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  screen.line('backend', url);
  return url;
}

/** One message, and the answer to what is asked back. */
async function say(text: string, { url, screen }: { url: string; screen: Screen }): Promise<void> {
  const id = randomUUID();
  screen.line('guest', `${text}\n(to ${new URL(url).host})`, 'green');
  const reply = (await ask(`${url}/messages`, { id, text })) as Reply;
  if (reply.question === undefined) return tell(reply, screen);
  screen.line('asks', reply.question, 'yellow');
  const typed = screen.isInteractive ? await screen.ask('Your answer: ') : wakeUp;
  const answer = typed || wakeUp;
  screen.line('guest', answer, 'green');
  const { inputId } = reply;
  tell((await ask(`${url}/answers`, { id, inputId, text: answer })) as Reply, screen);
}

function tell({ answer, error }: Reply, screen: Screen): void {
  if (answer === undefined) throw new Error(error ?? 'no answer');
  screen.line('concierge', answer, 'magenta');
}

async function ask(url: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-user': 'ada' };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  return await (await fetch(url, { headers, ...sent })).json();
}

await runDemo('Longhaul example: a chat behind HTTP', demo);
