import { EventEmitter, on } from 'node:events';
import type { PauseNotice } from 'longhaul/worker';
import type { Route } from './office-server.mts';

/** The mail of everybody in the office, in the order it came. */
export class Mailbox {
  readonly #mails = new EventEmitter<{ mail: [PauseNotice]; end: [] }>();
  readonly #incoming = on(this.#mails, 'mail', { close: ['end'] });
  readonly #known = new Set<string>();

  /** A notice may come more than once; its key says so. */
  readonly take: Route = (notice, { headers }) => {
    const key = String(headers['idempotency-key']);
    if (!this.#known.has(key)) this.#mails.emit('mail', notice as PauseNotice);
    this.#known.add(key);
    return 202;
  };

  end(): void {
    this.#mails.emit('end');
  }

  async *read(): AsyncGenerator<PauseNotice> {
    for await (const [notice] of this.#incoming) yield notice as PauseNotice;
  }
}
