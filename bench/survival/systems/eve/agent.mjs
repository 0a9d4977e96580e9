// eve as its documentation has it: `eve build`, `eve start`, `approval: always()` on the tool, and the HTTP API. Runs are kept by its local
// world in .eve/.workflow-data, which stays the same folder over a deploy.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { parked, step, store, task, tell } from './step.mjs';

let said;
const eve = ['node_modules/eve/bin/eve.js'];
const env = { ...process.env, EVE_TELEMETRY_DISABLED: '1' };
rmSync('.eve', { recursive: true, force: true });
mkdirSync('.eve', { recursive: true });
symlinkSync(store, '.eve/.workflow-data');
const built = spawnSync(process.execPath, [...eve, 'build'], { env, encoding: 'utf8' });
if (built.status !== 0) throw new Error(`eve build: ${built.stdout}${built.stderr}`);
/** A deploy keeps its address. */
const port = parked?.port ?? (await freePort());
spawn(process.execPath, [...eve, 'start', '--host', '127.0.0.1', '--port', `${port}`], {
  env,
  stdio: ['ignore', 'inherit', 'inherit'],
});
const url = `http://127.0.0.1:${port}/eve/v1`;
while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok)
  await new Promise((resolve) => setTimeout(resolve, 200));

if (step === 'park') {
  const { sessionId } = await post('/session', { message: task });
  const { data } = await event(sessionId, 'input.requested');
  await event(sessionId, 'turn.waiting');
  tell({ parked: { port, sessionId, requestId: data.requests[0].requestId } });
} else {
  const { sessionId, requestId } = parked;
  await post(`/session/${sessionId}`, { inputResponses: [{ requestId, optionId: 'approve' }] });
  const { type, data } = await event(sessionId, 'turn.completed', 'turn.failed', 'session.failed');
  tell(type === 'turn.completed' ? { ended: said } : { failed: `Error: ${data.message}` });
}

/** The first event of one of these types, from the beginning of the session's stream. */
async function event(sessionId, ...types) {
  const { body } = await fetch(`${url}/session/${sessionId}/stream`);
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const found = JSON.parse(line);
      console.log(line.slice(0, 400));
      if (found.type === 'message.completed') said = found.data.message;
      if (types.includes(found.type)) return found;
    }
  }
  throw new Error(`the stream ended before ${types.join(' or ')}`);
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
