// A TCP proxy before the database, which can be cut, and can hang with what was sent to it.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export class Proxy {
  readonly #sockets = new Set<Socket>();
  readonly #target: number;
  readonly #server = createServer((socket) => this.#accept(socket));
  #state: 'up' | 'down' | 'slow' = 'up';

  private constructor(target: number) {
    this.#target = target;
  }

  static async open(target: number): Promise<Proxy> {
    const proxy = new Proxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  disturb(state: 'down' | 'slow', ms: number): void {
    this.#state = state;
    for (const socket of this.#sockets) {
      if (state === 'down') socket.destroy();
      else socket.pause();
    }
    setTimeout(() => this.#recover(), ms);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #recover(): void {
    this.#state = 'up';
    for (const socket of this.#sockets) socket.resume();
  }

  #accept(client: Socket): void {
    if (this.#state === 'down') return void client.destroy();
    const server = connect(this.#target, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.once('close', () => this.#sockets.delete(from));
      from.pipe(to);
    }
    if (this.#state === 'slow') for (const socket of [client, server]) socket.pause();
  }
}
