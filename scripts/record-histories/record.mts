// Runs every case on a dev server of its own and gives the histories as Temporal's JSON.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { connect, type Longhaul } from 'longhaul/client';
import {
  fetchHistories,
  scriptedModel,
  startDevServer,
  type ScriptedModel,
} from 'longhaul/testing';
import { createWorker } from 'longhaul/worker';
import { cases, type Case } from './cases.mts';
import { assertWithout, scrub } from './scrub.mts';

/** Small enough that a short conversation continues as new, large enough that no other case does. */
const eventsPerExecution = 50;

export type RecordedHistory = { readonly name: string; readonly json: string };

/** The histories of all cases; those of one that continued as new are numbered. */
export async function recordHistories(project: string): Promise<RecordedHistory[]> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const scratch = mkdtempSync(join(tmpdir(), 'longhaul-record-'));
  const server = await startDevServer({
    headless: true,
    cliPath: await impatientCli(project, scratch),
  });
  try {
    const longhaul = await connect({ address: server.address });
    const models = new Map(
      Object.entries(cases).map(([name, { steps }]) => [name, scriptedModel(steps, { name })]),
    );
    const worker = await createWorker({
      address: server.address,
      runners: Object.values(cases).map(({ runner }) => runner),
      providers: Object.fromEntries(models),
      workerOptions: { shutdownGraceTime: '1s' },
    });
    const recorded = await worker.runUntil(async () => {
      const all: RecordedHistory[] = [];
      for (const [name, each] of Object.entries(cases)) {
        all.push(...(await recordCase(name, each, { longhaul, model: models.get(name) })));
      }
      return all;
    });
    await longhaul.close();
    for (const { json } of recorded)
      assertWithout(json, [`@${hostname()}`, userInfo().homedir, project, scratch]);
    return recorded;
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true });
  }
}

type Recording = { readonly longhaul: Longhaul; readonly model: ScriptedModel | undefined };

async function recordCase(
  name: string,
  each: Case,
  { longhaul, model }: Recording,
): Promise<RecordedHistory[]> {
  const { workflowId, end } =
    each.talk === undefined
      ? await recordRun(name, each, { longhaul, model })
      : await recordThread(name, each.talk, longhaul);
  if (name !== 'cancelled') model?.assertConsumed();
  const histories = await fetchHistories(longhaul, workflowId);
  console.log(
    `${name}: ${histories.map((history) => history.events?.length).join(' + ')} events; ${end}`,
  );
  return histories.map((history, index) => ({
    name: histories.length === 1 ? name : `${name}.${index + 1}`,
    json: `${JSON.stringify(scrub(JSON.parse(historyToJSON(history)) as never), null, 1)}\n`,
  }));
}

type RecordedEnd = { readonly workflowId: string; readonly end: string };

async function recordRun(
  name: string,
  { runner, meanwhile }: Case,
  { longhaul, model }: Recording,
): Promise<RecordedEnd> {
  const run = await longhaul.start(runner.spec.id, `Do what '${name}' is about.`, {
    workflowId: `recorded-${name}`,
  });
  const modelCalled = async (): Promise<void> => {
    while (model?.requests.length === 0) await sleep(20);
  };
  await meanwhile?.({ run, longhaul, modelCalled });
  const end = await run.result().then(
    ({ finalResponse }) => finalResponse.text,
    (error: unknown) => String(error),
  );
  // What a `first` leaves running ends before it.
  while ((await run.state()).status === 'running') await sleep(20);
  return { workflowId: run.workflowId, end };
}

async function recordThread(
  name: string,
  texts: readonly string[],
  longhaul: Longhaul,
): Promise<RecordedEnd> {
  const thread = longhaul.thread({ agent: name, sessionId: 'recorded' });
  const answers: string[] = [];
  for (const text of texts) {
    const turn = await thread.send(text);
    answers.push((await turn.result()).finalResponse.text);
  }
  await thread.clear();
  while ((await thread.state()).status === 'running') await sleep(20);
  return { workflowId: thread.threadId, end: answers.join(' ') };
}

/** The Temporal CLI, but its server suggests to continue as new soon. */
async function impatientCli(project: string, folder: string): Promise<string> {
  const module = join(project, 'dist/server/dev-server.js');
  const { findTemporalCli } = (await import(module)) as {
    readonly findTemporalCli: () => Promise<{ readonly path: string }>;
  };
  const { path } = await findTemporalCli();
  const setting = `limit.historyCount.suggestContinueAsNew=${eventsPerExecution}`;
  const wrapper = join(folder, 'temporal');
  writeFileSync(wrapper, `#!/bin/sh\nexec '${path}' "$@" --dynamic-config-value ${setting}\n`);
  chmodSync(wrapper, 0o755);
  return wrapper;
}
