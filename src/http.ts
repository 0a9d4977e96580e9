/** Agents behind HTTP. */
export type { Principal } from './http/route';
