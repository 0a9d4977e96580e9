// Runs every case on a dev server of its own and gives the histories as Temporal's JSON.
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { connect } from 'longhaul/client';
import { startDevServer, type DevServer } from 'longhaul/testing';
import { createWorker, type CreateWorkerOptions } from 'longhaul/worker';
import { impatientCli } from '../impatient-cli.mts';
import { bareNamespace, type Case } from './case.mts';
import { cases } from './cases.mts';
import { historiesOf, type RecordedHistory } from './histories.mts';
import { assertWithout } from './scrub.mts';
import { Theatre } from './stage.mts';

/** Small enough that a short conversation continues as new, large enough that no other case does. */
const eventsPerExecution = 50;

const atOnce = 6;

/** The histories of all cases, or of those named. Those of a run that continued as new are numbered. */
export async function recordHistories(
  project: string,
  names: readonly string[] = Object.keys(cases),
): Promise<RecordedHistory[]> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const scratch = mkdtempSync(join(tmpdir(), 'longhaul-record-'));
  const server = await startDevServer({
    headless: true,
    cliPath: await impatientCli(scratch, { events: eventsPerExecution }),
  });
  try {
    await addNamespace(server);
    const chosen = names.map((name) => [name, caseOf(name)] as const);
    const recorded = await recordCases(chosen, { server, scratch });
    for (const { json } of recorded)
      assertWithout(json, [`@${hostname()}`, userInfo().homedir, project, scratch]);
    return recorded;
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true });
  }
}

function caseOf(name: string): Case {
  const found = cases[name];
  if (found === undefined) throw new Error(`there is no case '${name}'`);
  return found;
}

type Place = { readonly server: DevServer; readonly scratch: string };

/** Cases without parts of their own share a worker. */
async function recordCases(
  chosen: readonly (readonly [string, Case])[],
  { server, scratch }: Place,
): Promise<RecordedHistory[]> {
  const { address } = server;
  const theatres = chosen.map(([name, each]) => new Theatre(name, each, { address, scratch }));
  const shared = theatres.filter(({ isShared }) => isShared);
  const options: CreateWorkerOptions = {
    address,
    runners: shared.map(({ runner }) => runner),
    providers: Object.assign({}, ...shared.map(({ providers }) => providers)) as never,
    workerOptions: { shutdownGraceTime: '1s' },
  };
  const worker = await createWorker(options);
  const longhaul = await connect({ address });
  const recorded = await worker.runUntil(async () => {
    const waiting = [...theatres];
    const failures: Error[] = [];
    const lanes = Array.from({ length: atOnce }, async () => {
      const all: RecordedHistory[] = [];
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { name } = next;
        const failed = (cause: unknown): [] => {
          failures.push(new Error(`the case '${name}' failed`, { cause }));
          return [];
        };
        all.push(...(await record(next).catch(failed)));
      }
      return all;
    });
    const all = (await Promise.all(lanes)).flat();
    if (failures.length > 0) throw new AggregateError(failures, 'not all cases were recorded');
    return all;
  });
  await longhaul.close();
  return recorded;

  async function record(theatre: Theatre): Promise<RecordedHistory[]> {
    const { name, keeps } = theatre;
    const { executions, client } = await theatre.play(longhaul);
    const histories = await historiesOf(client, { name, executions, keeps });
    if (client !== longhaul) await client.close();
    console.log(`${name}: ${histories.map(({ events }) => events).join(' + ')} events`);
    return histories;
  }
}

/** A namespace without the search attributes, which the dev server has in its own one. */
async function addNamespace({ address }: DevServer): Promise<void> {
  const longhaul = await connect({ address });
  await longhaul.client.workflowService.registerNamespace({
    namespace: bareNamespace,
    workflowExecutionRetentionPeriod: { seconds: 24 * 60 * 60 } as never,
  });
  await longhaul.close();
}
