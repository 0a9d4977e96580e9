// The OpenAPI 3.1 document, made from the routes.

import type { Json, JsonObject, JsonSchema } from '../base';
import type { PublicRoute, Route } from './route';

const problemSchema: JsonSchema = {
  type: 'object',
  description: 'RFC 9457. `code` is for programs.',
  required: ['type', 'title', 'status', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

export function openApiDocument(
  routes: readonly (Route | PublicRoute)[],
  { basePath }: { readonly basePath: string },
): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agents',
      version: '1',
      description:
        'Agents that run as durable workflows. The application says how to authenticate.',
    },
    servers: [{ url: basePath }],
    paths,
    components: {
      schemas: { Problem: problemSchema },
      responses: {
        Problem: {
          description: 'What went wrong',
          content: {
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
          },
        },
      },
    },
  };
}

function operationOf(route: Route | PublicRoute): JsonObject {
  const { responses = { 200: { description: 'Done' } }, ...operation } = route.operation;
  const body = 'takes' in route ? route.takes : undefined;
  return {
    operationId: idOf(route),
    ...operation,
    parameters: parametersOf(route),
    ...(route.method === 'POST' && { requestBody: requestBody(body) }),
    responses: {
      ...(responses as JsonObject),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

/** `GET /runs/:id/events` is `getRunsIdEvents`. */
function idOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/\W+/).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return `${method.toLowerCase()}${name}`;
}

function requestBody(schema: JsonSchema | undefined): JsonObject {
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return {
    required: required.length > 0,
    content: { 'application/json': { schema: schema ?? { type: 'object' } } },
  };
}

function parametersOf(route: Route | PublicRoute): Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = 'query' in route ? (route.query ?? {}) : {};
  const inQuery = Object.entries(query).map(([name, { description, schema }]) => ({
    name,
    in: 'query',
    description,
    schema,
  }));
  return [...inPath, ...inQuery];
}
