import type { Script } from '../kit';
export const threads: readonly Script[] = [];
