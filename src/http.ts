/** Agents behind HTTP. */
export { agentHandler } from './http/handler';
export type { CorsOptions } from './http/cors';
export type { AgentHandlerOptions, BackendCall } from './http/options';
export type { BackendOptions, Principal } from './http/route';
export { toNode } from './http/to-node';
