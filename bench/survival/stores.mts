// The stores that outlive the processes: one of each kind for all trials, or a folder per trial.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startDevServer } from 'longhaul/testing';
import type { StoreName } from './installs.mts';

type Store = { readonly url: string; stop(): Promise<void> };

export class Stores {
  readonly #scratch: string;
  readonly #started = new Map<StoreName, Promise<Store>>();

  constructor(scratch: string) {
    this.#scratch = scratch;
  }

  async of(name: StoreName, run: string): Promise<string> {
    if (name === 'folder') {
      const folder = join(this.#scratch, 'stores', run);
      await mkdir(folder, { recursive: true });
      return folder;
    }
    const start = name === 'temporal' ? startTemporal : startPostgres;
    const store = this.#started.get(name) ?? start();
    this.#started.set(name, store);
    return (await store).url;
  }

  async stop(): Promise<void> {
    for (const store of this.#started.values()) await (await store).stop();
  }
}

async function startTemporal(): Promise<Store> {
  const server = await startDevServer({ headless: true });
  return { url: server.address, stop: () => server.stop() };
}

async function startPostgres(): Promise<Store> {
  const script = join(import.meta.dirname, '../../test/contract/postgres-server.mts');
  const server = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  const stop = async (): Promise<void> => {
    server.stdin.end();
    await once(server, 'close');
  };
  return { url, stop };
}
