// All routes, of all rooms.

import { agUiRoutes } from './ag-ui/routes';
import { aiSdkRoutes } from './ai-sdk/routes';
import { eventRoutes } from './event-routes';
import { inputRoutes } from './input-routes';
import { openApiDocument } from './openapi';
import type { PublicRoute, Route } from './route';
import { runRoutes } from './run-routes';
import { threadRoutes } from './thread-routes';

const rooms: readonly Route[] = [
  ...runRoutes,
  ...eventRoutes,
  ...inputRoutes,
  ...threadRoutes,
  ...aiSdkRoutes,
  ...agUiRoutes,
];

export function allRoutes(basePath: string): readonly (Route | PublicRoute)[] {
  const described: PublicRoute = {
    method: 'GET',
    path: '/openapi.json',
    respond: () => Response.json(document),
    operation: { summary: 'This document' },
  };
  const routes = [...rooms, described];
  const document = openApiDocument(routes, { basePath });
  return routes;
}
