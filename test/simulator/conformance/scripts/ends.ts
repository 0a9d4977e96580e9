import type { Script } from '../kit';
export const ends: readonly Script[] = [];
