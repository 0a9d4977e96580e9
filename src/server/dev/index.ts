// A Temporal server on this machine, for development and tests.
export {
  type DevServer,
  type DevServerOptions,
  findTemporalCli,
  freePort,
  isPortFree,
  startDevServer,
  watchedCommand,
} from './dev-server';
export { findServer, type PackagedServer } from './download';
