// Pure: no server. The validator runs in a process of its own, because Jest cannot load it.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Longhaul } from '../../../src/client';
import { agentHandler } from '../../../src/http';
import { type ProblemCode, HttpProblem, statusOf } from '../../../src/http/problems';
import { allRoutes } from '../../../src/http/routes';
import { errorCodes } from '../../../src/protocol/errors';
import { codeRowsOf, readPage } from '../docs/markdown';

const root = join(__dirname, '../../..');

const validate = `
  import SwaggerParser from '@apidevtools/swagger-parser';
  const document = JSON.parse(process.argv[1]);
  await SwaggerParser.validate(document).then(
    () => console.log('valid'),
    (error) => console.log(error.message),
  );
`;

function verdictOn(document: unknown): string {
  const args = ['--input-type=module', '--eval', validate, JSON.stringify(document)];
  return execFileSync('node', args, { cwd: root, encoding: 'utf8' }).trim();
}

type Document = {
  readonly openapi: string;
  readonly servers: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
};

async function served(): Promise<Document> {
  const longhaul = { application: 'shop', client: {} } as unknown as Longhaul;
  const authenticate = () => undefined;
  const handle = agentHandler(longhaul, { agents: ['a'], authenticate, basePath: '/api' });
  const answer = await handle(new Request('http://agents.test/api/openapi.json'));
  expect(answer.status).toBe(200);
  return (await answer.json()) as Document;
}

test('the document is OpenAPI 3.1, and anybody may read it', async () => {
  const document = await served();
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api' }] });
  expect(verdictOn(document)).toBe('valid');
  expect(verdictOn({ ...document, paths: { '/x': { get: { responses: 7 } } } })).not.toBe('valid');
});

test('the document has each route, under a name of its own', async () => {
  const { paths } = await served();
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = allRoutes('/').map(({ method, path }) => {
    const braced = path.split('/').map((part) => part.replace(/^:(.*)$/, '{$1}'));
    return `${method} ${braced.join('/')}`;
  });
  expect(described.sort()).toEqual(routes.sort());
  const ids = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(routes.length);
});

const httpCodes: readonly ProblemCode[] = [
  'NotAuthenticated',
  'NotFound',
  'MethodNotAllowed',
  'RequestTimeout',
  'UnsupportedMediaType',
];

describe('docs/http.md', () => {
  const rows = codeRowsOf(readPage('docs/http.md'));

  test('lists each route', () => {
    const routes = allRoutes('/').map(({ method, path }) => `${method} ${path}`);
    const listed = [...rows.keys()].filter((code) => /^(?:GET|POST|DELETE) /.test(code));
    expect(listed.sort()).toEqual(routes.sort());
  });

  test('lists the statuses of the codes', () => {
    const { text } = readPage('docs/http.md');
    for (const code of [...errorCodes, ...httpCodes]) {
      const status = statusOf(new HttpProblem(code));
      const line = text.split('\n').find((each) => each.startsWith(`| ${status} |`)) ?? '';
      const isListed = line.includes(`\`${code}\``);
      expect([code, isListed]).toEqual([code, status !== 500]);
    }
  });
});
