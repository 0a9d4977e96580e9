import type { Script } from '../kit';
export const resets: readonly Script[] = [];
