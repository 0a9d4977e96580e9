// The MCP connections of a worker process: one for each server, opened on first use, closed with the worker.

import { LonghaulError } from '../../protocol';
import type { McpServer } from '../../define';
import { McpConnection } from './mcp-connection';
import { isAnswer, isTimeout, McpUnavailable } from './mcp-failure';

type Slot = {
  readonly opening: Promise<McpConnection>;
  connection?: McpConnection;
  users: number;
  /** If true, no new calls use it, and it closes after its last call. */
  dropped: boolean;
};

export class McpPool {
  readonly #slots = new Map<string, Slot>();
  readonly #open = new Set<McpConnection>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;
  readonly #killAtExit = (): void => this.#open.forEach((connection) => connection.kill());

  /**
   * Does `work` on the server's connection. An error in the server's answer is thrown as it is. Any other error becomes `McpUnavailable`.
   */
  async use<Result>(
    server: McpServer,
    work: (connection: McpConnection) => Promise<Result>,
  ): Promise<Result> {
    const slot = this.#slotOf(server);
    slot.users += 1;
    try {
      const connection = await this.#opened(server, slot);
      return await work(connection).catch(async (error: unknown) => {
        throw await this.#classify(error, { server, slot, connection });
      });
    } finally {
      slot.users -= 1;
      if (slot.dropped && slot.users === 0) this.#close(slot);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const slot of this.#slots.values()) this.#close(slot);
    this.#slots.clear();
    await Promise.all(this.#closing);
    process.removeListener('exit', this.#killAtExit);
  }

  #slotOf(server: McpServer): Slot {
    const known = this.#slots.get(server.name);
    if (known?.connection?.isClosed === true) this.#drop(server, known);
    else if (known !== undefined) return known;
    const slot: Slot = { opening: this.#connect(server), users: 0, dropped: false };
    this.#slots.set(server.name, slot);
    return slot;
  }

  async #opened(server: McpServer, slot: Slot): Promise<McpConnection> {
    try {
      return (slot.connection = await slot.opening);
    } catch (error) {
      this.#drop(server, slot);
      throw error;
    }
  }

  async #connect(server: McpServer): Promise<McpConnection> {
    if (this.#isClosed) {
      const cause = new Error('this worker is shutting down');
      throw new McpUnavailable(server, { cause, sent: false });
    }
    const connection = await McpConnection.open(server);
    if (this.#open.size === 0) process.once('exit', this.#killAtExit);
    this.#open.add(connection);
    return connection;
  }

  /** A slow server keeps its connection, because other calls may use it. */
  async #classify(
    error: unknown,
    use: { readonly server: McpServer; readonly slot: Slot; readonly connection: McpConnection },
  ): Promise<unknown> {
    const { server, slot, connection } = use;
    if (LonghaulError.is(error) || (isAnswer(error) && !connection.isClosed)) return error;
    const isSlow = isTimeout(error) && (await connection.answers());
    if (!isSlow) this.#drop(server, slot);
    const { fault: cause = error, said } = connection;
    return new McpUnavailable(server, { cause, sent: true, said: isSlow ? '' : said });
  }

  #drop(server: McpServer, slot: Slot): void {
    slot.dropped = true;
    if (this.#slots.get(server.name) === slot) this.#slots.delete(server.name);
    if (slot.users === 0) this.#close(slot);
  }

  #close(slot: Slot): void {
    const closing = this.#closed(slot).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #closed({ opening }: Slot): Promise<void> {
    const connection = await opening.catch(() => undefined);
    await connection?.close();
    if (connection !== undefined) this.#open.delete(connection);
    if (this.#open.size === 0) process.removeListener('exit', this.#killAtExit);
  }
}
