// All routes, of all rooms.

import type { Route } from './route';

export const routes: readonly Route[] = [];
