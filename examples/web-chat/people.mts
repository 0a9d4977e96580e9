import type { Principal } from 'longhaul/http';

export type Person = Principal & { readonly name: string };

/** Who may log in. The page shows them in a list: put your own login here. */
export const people: readonly [Person, ...Person[]] = [
  { user: 'ada', name: 'Ada' },
  { user: 'ben', name: 'Ben' },
  // She sees the runs of everybody, and may decide what only managers may.
  { user: 'mia', name: 'Mia', roles: ['manager'], sees: 'all' },
];

/** NOT a login: it believes the header. Check a session or a token here. */
export function authenticate({ headers }: Request): Principal | undefined {
  return people.find(({ user }) => user === headers.get('x-user'));
}
