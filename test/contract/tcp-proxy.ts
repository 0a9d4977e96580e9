// Stands between a client and a server, and misbehaves on demand.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Proxy {
  readonly url: string;
  /** `silent`: it accepts connections and never answers. */
  mode: 'open' | 'silent';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, { target, mode }: { target: URL; mode: 'open' | 'silent' }) {
    this.#server = server;
    this.mode = mode;
    const url = new URL(target);
    url.port = String((server.address() as AddressInfo).port);
    this.url = url.href;
    server.on('connection', (client) => {
      this.#keep(client);
      if (this.mode === 'silent') return;
      const upstream = this.#keep(connect(Number(target.port), target.hostname));
      client.pipe(upstream).pipe(client);
    });
  }

  static async to(url: string, mode: 'open' | 'silent' = 'open'): Promise<Proxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Proxy(server, { target: new URL(url), mode });
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
