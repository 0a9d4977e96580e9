// The Temporal server of a round: killed, frozen, and started again on its data.

import { startDevServer, type DevServer } from 'longhaul/testing';

const startAttempts = 5;

type Options = NonNullable<Parameters<typeof startDevServer>[0]>;

export class Server {
  readonly #options: Options;
  #server: DevServer;
  #isDown = false;
  /** Ends when the server last came back. */
  #restarted: Promise<void> = Promise.resolve();
  restarts = 0;

  private constructor(options: Options, server: DevServer) {
    this.#options = options;
    this.#server = server;
  }

  static async start(dbFile: string, cliPath?: string): Promise<Server> {
    const options = { dbFile, headless: true, ...(cliPath && { cliPath }) };
    return new Server(options, await startDevServer(options));
  }

  get address(): string {
    return this.#server.address;
  }

  /** Killed or frozen. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** Whether it was there to be killed. */
  kill(downMs: number): boolean {
    if (this.#isDown) return false;
    this.#isDown = true;
    this.#restarted = this.#restart(downMs);
    return true;
  }

  freeze(ms: number): boolean {
    if (this.#isDown) return false;
    this.#isDown = true;
    const { pid } = this.#server;
    process.kill(pid, 'SIGSTOP');
    setTimeout(() => {
      process.kill(pid, 'SIGCONT');
      this.#isDown = false;
    }, ms);
    return true;
  }

  async stop(): Promise<void> {
    await this.#restarted;
    await this.#server.stop();
  }

  async #restart(downMs: number): Promise<void> {
    process.kill(this.#server.pid, 'SIGKILL');
    await this.#server.exited;
    await new Promise((resolve) => setTimeout(resolve, downMs));
    const { port } = this.#server;
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#server = await startDevServer({ ...this.#options, port });
        break;
      } catch (error) {
        if (attempt === startAttempts) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
    this.restarts += 1;
    this.#isDown = false;
  }
}
