// Plays on streams: forged positions, connections that break, and responses that nobody reads.

import type { Attacker } from '../attacker.mts';
import type { Manner } from '../request.mts';

const positions = ['end', 'x', '0', '-1', '%00', '1:2:3', 'e30', 'a'.repeat(5_000)] as const;

export async function stream(one: Attacker): Promise<void> {
  const thing = one.thing(one.random.pick(['own', 'visible', 'foreign'] as const));
  if (thing === undefined) return;
  const { random } = one;
  const { positions: known } = one.world;
  const seen = known[random.below(known.length)];
  const from = random.chance(50) ? seen : random.pick(positions);
  const tree = random.chance(60) ? '?tree=1' : '?';
  const query =
    from !== undefined && random.chance(30) ? `${tree}&from=${encodeURIComponent(from)}` : tree;
  const header = from !== undefined && random.chance(50) ? { 'last-event-id': from } : {};
  await one.probe({
    of: thing,
    path: `/events${query}`,
    headers: header,
    manner: mannerOf(one),
    readMs: random.between(100, 2_500),
  });
}

function mannerOf(one: Attacker): Manner {
  const { random } = one;
  if (random.chance(50)) return { kind: 'whole' };
  return { kind: random.pick(['cut', 'unread']), ms: random.below(1_500) };
}
