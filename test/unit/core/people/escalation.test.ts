// Pure: who may decide after an escalation, by a table.

import type { ApproverRule } from '../../../../src/protocol/people';
import { widened } from '../../../../src/core/people/verdicts';

describe('widened', () => {
  it.each<{ name: string; by: ApproverRule; to: ApproverRule; both: ApproverRule }>([
    {
      name: 'joins roles',
      by: { roles: ['a', 'b'] },
      to: { roles: ['b', 'c'] },
      both: { roles: ['a', 'b', 'c'] },
    },
    {
      name: 'joins people and roles',
      by: { ids: ['ann'] },
      to: { roles: ['lead'], ids: ['bob'] },
      both: { ids: ['ann', 'bob'], roles: ['lead'] },
    },
    {
      name: 'keeps the number of approvals and the excluded people',
      by: { roles: ['a'], approvals: 2, not: ['requester'] },
      to: { ids: ['bob'], approvals: 1 },
      both: { roles: ['a'], ids: ['bob'], approvals: 2, not: ['requester'] },
    },
    {
      name: 'narrows nothing that everybody may decide',
      by: { approvals: 2 },
      to: { roles: ['lead'] },
      both: { approvals: 2 },
    },
    {
      name: 'permits everybody',
      by: { roles: ['a'], approvals: 2 },
      to: {},
      both: { approvals: 2 },
    },
    {
      name: 'adds people where nobody was permitted',
      by: { roles: [] },
      to: { ids: ['bob'] },
      both: { roles: [], ids: ['bob'] },
    },
  ])('$name', ({ by, to, both }) => {
    expect(widened(by, to)).toEqual(both);
  });
});
