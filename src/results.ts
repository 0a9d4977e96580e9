/** Stores for large results, inputs and media of runs. */
export { PostgresResults, SqliteResults } from './results/database-results';
export { FileResults, type FileResultsOptions } from './results/file-results';
export type {
  DeleteScopeOptions,
  ResultKey,
  ResultScope,
  ResultStore,
  ScopePage,
} from './results/result-store';
export { S3Results, type S3ResultsOptions } from './results/s3-results';
