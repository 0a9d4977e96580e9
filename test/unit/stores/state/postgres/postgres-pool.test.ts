// A double of PostgreSQL's last words: no server.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import {
  createPool,
  inTransaction,
  keepListening,
} from '../../../../../src/stores/state/postgres/postgres-pool';

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const fatal = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
);

describe('a PostgreSQL server that dies', () => {
  it('fails the call, not the process, when its last words come with the connection', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, fatal])));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const pool = createPool({ connectionString: `postgresql://any@127.0.0.1:${port}/any` });
    try {
      const worked = inTransaction(keepListening(pool), (query) => query('select 1'));
      await expect(worked).rejects.toThrow();
    } finally {
      await pool.end();
      server.close();
    }
  });
});
