import type { MemorySpec } from '../protocol/spec';
import type { Problem } from '../base/problem';

export function memoryProblems(memory: MemorySpec | undefined): Problem[] {
  if (memory === undefined) return [];
  const hasTurns = 'turns' in memory;
  if (memory.kind === 'windowed' && !hasTurns) {
    const message = 'is required: how many of the last turns a windowed memory gives';
    return [{ path: 'memory.turns', message }];
  }
  if (memory.kind === 'windowed' || !hasTurns) return [];
  return [{ path: 'memory.turns', message: `belongs to kind 'windowed': a full memory gives all` }];
}
