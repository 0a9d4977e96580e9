import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Longhaul } from '../../src/client';
import { type MortalPostgres, startOwnPostgres } from '../contract/postgres';
import { devServerAddress } from '../servers';
import { builtPackage, compiledOnce } from './built-package';
import { SlowModel } from './live-model';
import type { Folded, PageReport, PageSettings, Seen } from './live-page.mts';
import type { LiveSettings } from './live-worker.mts';

type Message = Partial<Seen & PageReport & Folded> & {
  readonly url?: string;
  readonly error?: string;
  readonly readers?: number;
};

const programs = ['live-worker.mts', 'live-http.mts', 'serve-handler.mts'] as const;

/** Two backends and a worker as processes of their own, which share a database, a server, and a model. */
export class LiveSetup {
  readonly model = new SlowModel(25);
  /** What the backends reported. */
  readonly errors: string[] = [];
  readonly backends: string[] = [];
  readonly #taskQueue = `live-${randomUUID()}`;
  readonly #children: ChildProcess[] = [];
  readonly #backends: ChildProcess[] = [];
  #postgres: MortalPostgres | undefined;
  #longhaul: Longhaul | undefined;
  #folder = '';
  #worker: ChildProcess | undefined;

  get postgres(): MortalPostgres {
    if (this.#postgres === undefined) throw new Error('not open');
    return this.#postgres;
  }

  get longhaul(): Longhaul {
    if (this.#longhaul === undefined) throw new Error('not open');
    return this.#longhaul;
  }

  async open(): Promise<void> {
    this.#folder = join(await builtPackage(), randomUUID());
    for (const file of programs) cpSync(join(__dirname, file), join(this.#folder, file));
    const [postgres] = await Promise.all([startOwnPostgres(), this.model.open()]);
    this.#postgres = postgres;
    this.#longhaul = await connect({ address: devServerAddress(), taskQueue: this.#taskQueue });
    await Promise.all([this.startWorker(), this.#startBackend(), this.#startBackend()]);
  }

  async startWorker(): Promise<void> {
    this.#worker = this.#start(join(this.#folder, 'live-worker.mts'), this.#settings());
    await firstMessage(this.#worker);
  }

  /** As a machine dies. */
  async killWorker(): Promise<void> {
    if (this.#worker !== undefined) await kill(this.#worker);
  }

  /** How many runs the backends read for their streams. */
  async readers(): Promise<number> {
    const counts = this.#backends.map(async (backend) => {
      const counted = firstMessage(backend, ({ readers }) => readers !== undefined);
      backend.send('readers');
      return (await counted).readers ?? 0;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** A browser gets to know the backends only. */
  startBrowser(script: string, settings: Omit<PageSettings, 'backends'>): ChildProcess {
    const { backends } = this;
    return this.#start(join(__dirname, script), { ...settings, backends });
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map(kill));
    await this.#longhaul?.close();
    await this.model.close();
    await this.#postgres?.stop();
  }

  async #startBackend(): Promise<void> {
    const child = this.#start(join(this.#folder, 'live-http.mts'), this.#settings());
    child.on('message', ({ url, error }: Message) => {
      if (url !== undefined) this.backends.push(url);
      if (error !== undefined) this.errors.push(error);
    });
    this.#backends.push(child);
    await firstMessage(child);
  }

  #settings(): LiveSettings {
    const { url: postgres = '' } = this.#postgres ?? {};
    const [address, taskQueue] = [devServerAddress(), this.#taskQueue];
    return { address, taskQueue, postgres, model: this.model.url };
  }

  #start(script: string, settings: object): ChildProcess {
    const env = { ...process.env, ...compiledOnce() };
    const child = fork(script, [JSON.stringify(settings)], { env });
    this.#children.push(child);
    return child;
  }
}

/** Throws if the process ends without one. */
export async function firstMessage(
  child: ChildProcess,
  isMeant: (message: Message) => boolean = () => true,
): Promise<Message> {
  return await new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`${child.spawnargs[1]} ended`));
    const heard = (message: Message): void => {
      if (!isMeant(message)) return;
      child.off('message', heard).off('exit', ended);
      resolve(message);
    };
    child.on('message', heard).once('exit', ended);
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
