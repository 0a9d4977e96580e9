/** Agents behind HTTP. */
export { agentHandler } from './handler';
export type { CorsOptions } from './cors';
export type { AgentHandlerOptions, BackendCall } from './options';
export type { BackendOptions, Principal } from './route';
export { toNode } from './to-node';
