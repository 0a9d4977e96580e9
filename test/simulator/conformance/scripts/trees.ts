import type { Script } from '../kit';
export const trees: readonly Script[] = [];
