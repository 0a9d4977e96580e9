// Vercel's Workflow SDK as its documentation has it: a DurableAgent, a hook in the tool, Nitro. Runs are kept by its local world.
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { modelUrl, parked, step, store, task, tell } from './step.mjs';

const run = process.env.RUN;
/** A deploy keeps its address. */
const port = parked?.port ?? (await freePort());
const env = {
  ...process.env,
  HOST: '127.0.0.1',
  PORT: `${port}`,
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: modelUrl,
  WORKFLOW_TARGET_WORLD: 'local',
  WORKFLOW_LOCAL_DATA_DIR: store,
};
const built = spawnSync('node_modules/.bin/nitro', ['build'], { env, encoding: 'utf8' });
if (built.status !== 0) throw new Error(`nitro build: ${built.stdout}${built.stderr}`);
spawn(process.execPath, ['.output/server/index.mjs'], {
  env,
  stdio: ['ignore', 'inherit', 'inherit'],
});
while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)))
  await new Promise((resolve) => setTimeout(resolve, 200));

if (step === 'park') {
  const { runId } = await post('start', { run, task });
  while (!(await post('hook', { run })).waits)
    await new Promise((resolve) => setTimeout(resolve, 200));
  tell({ parked: { port, runId } });
} else {
  await post('approve', { run });
  tell(await post('result', { runId: parked.runId }));
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${port}/api/${path}`, request);
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
