// What the command line and the test kit share with workers.
export { prebuiltWorkflows } from './bundle';
export { type WorkerDeployment } from './deployment';
export {
  formatEntry,
  isForPeople,
  isOfCall,
  isRepeated,
  type LogEntry,
  logFormat,
} from './log-lines';
export { installLineLog } from './logger';
export { workerOptionNames, workerRegistry } from './options';
export { longhaulSinks } from './sinks';
