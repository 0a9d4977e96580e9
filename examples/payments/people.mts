import type { Actor } from 'longhaul';

// Who acts. A backend says so after its own login; Longhaul takes its word for it.
export const mia: Actor = { id: 'mia', name: 'Mia', roles: ['finance'] };
export const ada: Actor = { id: 'ada', name: 'Ada', roles: ['finance'] };
export const cleo: Actor = { id: 'cleo', name: 'Cleo', roles: ['finance-lead'] };
