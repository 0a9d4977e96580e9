// The web service: the agents behind HTTP. It keeps nothing, so any number of them serve the same conversations.
// Your own backend stands before it. It checks who somebody is, and says so together with the secret API_TOKEN.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'longhaul/client';
import { agentHandler, toNode, type Principal } from 'longhaul/http';
import { deltas, results } from './data.mts';

const { API_TOKEN: token = '', PORT: port = '8787' } = process.env;
if (token.length < 16) throw new Error('API_TOKEN must have at least 16 characters.');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const expected = digest(`Bearer ${token}`);

function authenticate({ headers }: Request): Principal | undefined {
  const user = headers.get('x-user');
  const given = digest(headers.get('authorization') ?? '');
  if (!user || !timingSafeEqual(given, expected)) return undefined;
  const roles = headers.get('x-roles')?.split(',') ?? [];
  return { user, roles, sees: roles.includes('support-lead') ? 'all' : 'own' };
}

const longhaul = await connect({ deltas, results });
const api = toNode(agentHandler(longhaul, { agents: ['support'], authenticate, basePath: '/api' }));
let isStopping = false;

const server = createServer((request, response) => {
  if (request.url?.startsWith('/api/')) api(request, response);
  // 200 while it takes requests. Nothing of the server or the database: a restart of this process would not repair them.
  else if (request.url === '/health') response.writeHead(isStopping ? 503 : 200).end();
  else response.writeHead(404).end();
});
server.listen(Number(port), () => console.log(`The web service listens on port ${port}.`));

/** Open requests get ten seconds. A stream that is cut goes on where it was, at another process. */
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
  await new Promise((resolve) => server.close(resolve));
  await Promise.all([longhaul.close(), deltas.close()]);
}
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
