import { resolve } from 'node:path';
import type { Load } from '../../../scripts/record-histories/samples/doors.mts';

/** Loads a module of the source. */
export const load: Load = async (path) =>
  (await import(resolve(__dirname, '../../../src', path))) as never;
