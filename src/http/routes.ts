// All routes, of all rooms.

import { aiSdkRoutes } from './ai-sdk/routes';
import type { Route } from './route';

export const routes: readonly Route[] = [...aiSdkRoutes];
