// A receiver of OTLP over HTTP, for bench/telemetry-sdk.mts, which forks it. It says its port, and then the bytes of each request.
// With the argument `hangs` it takes requests and never answers.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Said = { readonly port: number } | { readonly bytes: number };

const hangs = process.argv[2] === 'hangs';

const server = createServer((request, response) => {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => {
    say({ bytes });
    if (!hangs) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
});
server.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());

function say(said: Said): void {
  process.send?.(said);
}
