// Fifty people of five tenants, and who of them may see what.
//
// 1. Whatever somebody sends has a mark of that person. A mark says who wrote it, and where: in something of their own (`O`), or in something
//    of somebody else's (`G`). The id of a user (`U`) and the name of a tenant (`T`) are marks, too.
// 2. A response may only have marks of what its reader may see.

import { Random } from '../torture/random.mts';

export type Person = {
  readonly index: number;
  readonly user: string;
  readonly tenant?: string;
  readonly sees: 'own' | 'tenant' | 'all';
  readonly roles: readonly string[];
  /** What the backend knows the person by. */
  readonly token: string;
};

const tenants = 5;
const perTenant = 10;

const two = (index: number): string => String(index).padStart(2, '0');

/** Users of two tenants should have different ids. These two do not. */
const twins: ReadonlyMap<number, number> = new Map([
  [10, 0],
  [31, 21],
]);

export function peopleOf(seed: number): readonly Person[] {
  const random = new Random(seed * 7_919 + 1);
  return Array.from({ length: tenants * perTenant }, (_, index) => {
    const { sees, roles } = standingOf(index);
    return {
      index,
      user: `mkU${two(twins.get(index) ?? index)}x`,
      ...(sees !== 'all' && { tenant: `mkT${two(tenantOf(index))}x` }),
      sees,
      roles,
      token: `token-${index}-${random.below(2 ** 31).toString(36)}`,
    };
  });
}

function standingOf(index: number): Pick<Person, 'sees' | 'roles'> {
  if (index === 49) return { sees: 'all', roles: ['finance'] };
  switch (index % perTenant) {
    case 6:
      return { sees: 'own', roles: ['finance'] };
    case 7:
    case 8:
      return { sees: 'tenant', roles: ['finance'] };
    case 9:
      return { sees: 'tenant', roles: [] };
    default:
      return { sees: 'own', roles: [] };
  }
}

const tenantOf = (index: number): number => Math.floor(index / perTenant);

/** Whether somebody may see what belongs to the owner. */
export function maySee(reader: Person, owner: Person): boolean {
  if (reader.index === owner.index || reader.sees === 'all') return true;
  return reader.sees === 'tenant' && reader.tenant === owner.tenant;
}

/** The backend takes client tools of the pages of these. */
export const mayBringTools = ({ index }: Person): boolean => index % 2 === 0;

/** What a person writes into something of an owner. */
export function markOf(writer: Person, owner: Person | undefined): string {
  return `mk${writer === owner ? 'O' : 'G'}${two(writer.index)}x`;
}

const markPattern = /mk([OGUT])(\d\d)x/g;

export const marksIn = (text: string): readonly string[] => [...new Set(text.match(markPattern))];

/** The marks of others that a reader must not see. */
export class Marks {
  readonly #people: readonly Person[];
  /** By reader: the people whose texts may stand in something that the reader may see. */
  readonly #known: readonly ReadonlySet<number>[];

  constructor(people: readonly Person[]) {
    this.#people = people;
    this.#known = people.map((reader) => {
      const seen = people.filter((owner) => maySee(reader, owner));
      const writers = people.filter((writer) => seen.some((owner) => maySee(writer, owner)));
      return new Set([...seen, ...writers].map(({ index }) => index));
    });
  }

  foreignIn(text: string, reader: Person): readonly string[] {
    const found = [...text.matchAll(markPattern)].filter(
      ([, kind = '', digits = '']) => !this.#mayRead(reader, kind, Number(digits)),
    );
    return [...new Set(found.map(([mark]) => mark))];
  }

  #mayRead(reader: Person, kind: string, number: number): boolean {
    if (kind === 'T') return reader.sees === 'all' || tenantOf(reader.index) === number;
    const writer = this.#people[number];
    if (writer === undefined) return false;
    if (kind === 'O') return maySee(reader, writer);
    const known = this.#known[reader.index];
    if (kind === 'G') return known?.has(number) === true;
    return this.#people.some(
      ({ user, index }) => user === `mkU${two(number)}x` && known?.has(index) === true,
    );
  }
}
