// Runs dev servers and time-skipping servers of its own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  type DevServer,
  type DevServerOptions,
  findTemporalCli,
  freePort,
  startDevServer,
} from '../../src/server/dev/dev-server';
import { describeWithTimeSkipping, timeSkippingServerPath } from '../servers';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function withClient<Result>(
  { address, namespace }: DevServer,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

describe('startDevServer', () => {
  const started: DevServer[] = [];
  const start = async (options: DevServerOptions): Promise<DevServer> => {
    const server = await startDevServer(options);
    started.push(server);
    return server;
  };
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-dev-server-'));
  });
  afterAll(async () => {
    await Promise.all(started.map((server) => server.stop()));
    rmSync(folder, { recursive: true });
  });

  it('keeps runs in the file over a restart on the same ports and leaves no process behind', async () => {
    const [port, uiPort] = [await freePort(), await freePort()];
    const options = { dbFile: join(folder, 'runs.db'), namespace: 'team', port, uiPort };
    const first = await start(options);
    await withClient(first, (client) =>
      client.workflow.start('anything', { workflowId: 'kept', taskQueue: 'nobody' }),
    );
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);

    const second = await start(options);
    expect([second.address, second.uiUrl]).toEqual([first.address, first.uiUrl]);
    const described = await withClient(second, (client) =>
      client.workflow.getHandle('kept').describe(),
    );
    expect(described.status.name).toBe('RUNNING');
    await second.stop();
    expect(isRunning(second.pid)).toBe(false);
  });

  it('serves the Web UI and has the search attributes', async () => {
    const server = await start({});
    const page = await fetch(server.uiUrl ?? '');
    expect(page.status).toBe(200);
    const names = await withClient(server, async (client) => {
      const attributes = await client.connection.operatorService.listSearchAttributes({
        namespace: server.namespace,
      });
      return Object.keys(attributes.customAttributes ?? {});
    });
    expect(names).toEqual(expect.arrayContaining(['LonghaulAgent', 'LonghaulStatus']));
    await server.stop();
  });

  it('resolves `exited` when the process ends by itself', async () => {
    const server = await start({ headless: true });
    expect(server.uiUrl).toBeUndefined();
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await server.stop();
  });

  it('refuses a port that is taken', async () => {
    const server = await start({ headless: true });
    await expect(startDevServer({ port: server.port })).rejects.toMatchObject({
      code: 'ServerUnavailable',
      message: `Port ${server.port} of 127.0.0.1 is already in use: choose another one.`,
    });
    await server.stop();
  });

  it('takes other ports when another process was faster', async () => {
    const path = await findTemporalCli();
    const cliPath = join(folder, 'unlucky');
    const log = join(folder, 'ports');
    const script = [
      '#!/bin/sh',
      `echo "$6" >> '${log}'`,
      `[ $(wc -l < '${log}') -gt 2 ] && exec '${path}' "$@"`,
      'echo "listen tcp 127.0.0.1:$6: bind: address already in use"',
      'head -c 20000 /dev/zero | tr "\\0" "x"; exit 1',
    ];
    writeFileSync(cliPath, script.join('\n'), { mode: 0o755 });
    const server = await start({ headless: true, cliPath });
    const tried = readFileSync(log, 'utf8').trim().split('\n');
    expect([tried.length, tried.at(-1)]).toEqual([3, String(server.port)]);
    expect(new Set(tried).size).toBe(3);
    await server.stop();
  });

  it('says what the server printed when it does not start', async () => {
    const dbFile = join(folder, 'no', 'such', 'folder', 'runs.db');
    await expect(startDevServer({ headless: true, dbFile })).rejects.toMatchObject({
      code: 'ServerUnavailable',
      message: expect.stringContaining('its process ended'),
    });
  });
});

describeWithTimeSkipping('the time-skipping server', () => {
  it('skips days in moments', async () => {
    const executable = { type: 'existing-path', path: timeSkippingServerPath() } as const;
    const environment = await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable },
    });
    try {
      const before = await environment.currentTimeMs();
      await environment.sleep('3 days');
      const skipped = (await environment.currentTimeMs()) - before;
      expect(Math.round(skipped / 3_600_000)).toBe(72);
    } finally {
      await environment.teardown();
    }
  });
});
