import type { Script } from '../kit';
export const inputs: readonly Script[] = [];
