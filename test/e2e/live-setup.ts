import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Longhaul } from '../../src/client';
import { startPostgres, type PostgresServer } from '../contract/postgres';
import { devServerAddress } from '../servers';
import { builtPackage, compiledOnce } from './built-package';
import type { BrowserReport, BrowserSettings, Seen } from './live-browser.mts';
import { SlowModel } from './live-model';
import type { LiveSettings } from './live-worker.mts';

type Message = Partial<Seen & BrowserReport> & { readonly url?: string; readonly error?: string };

const programs = ['live-worker.mts', 'live-http.mts', 'serve-handler.mts'] as const;

/** Two backends and a worker as processes of their own, which share a database, a server, and a model. */
export class LiveSetup {
  readonly model = new SlowModel(25);
  /** What the backends reported. */
  readonly errors: string[] = [];
  readonly backends: string[] = [];
  readonly #taskQueue = `live-${randomUUID()}`;
  readonly #children: ChildProcess[] = [];
  #postgres: PostgresServer | undefined;
  #longhaul: Longhaul | undefined;
  #folder = '';
  #worker: ChildProcess | undefined;

  get longhaul(): Longhaul {
    if (this.#longhaul === undefined) throw new Error('not open');
    return this.#longhaul;
  }

  async open(): Promise<void> {
    this.#folder = join(await builtPackage(), randomUUID());
    for (const file of programs) cpSync(join(__dirname, file), join(this.#folder, file));
    const [postgres] = await Promise.all([startPostgres(), this.model.open()]);
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

  /** A browser gets to know the backends only. */
  startBrowser(settings: Omit<BrowserSettings, 'backends'>): ChildProcess {
    const { backends } = this;
    return this.#start(join(__dirname, 'live-browser.mts'), { ...settings, backends });
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
    child.on('message', (message: Message) => {
      if (isMeant(message)) resolve(message);
    });
    child.once('exit', () => reject(new Error(`${child.spawnargs[1]} ended`)));
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
