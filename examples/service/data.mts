// Where the worker and the web service keep what is not in Temporal. Both reach the same database: PGHOST, PGUSER, PGPASSWORD, PGDATABASE.
import { PostgresDeltas, PostgresResults, S3Results, type ResultStore } from 'longhaul/stores';

const { RESULTS_BUCKET: bucket, RESULTS_ENDPOINT: endpoint } = process.env;

/** Large results, inputs and media: in a bucket of S3 or of what speaks its protocol, else in PostgreSQL. */
export const results: ResultStore = bucket
  ? new S3Results({ bucket, ...(endpoint && { endpoint }) })
  : new PostgresResults();

/** Text, while the model writes it: from the worker to the web service. */
export const deltas = new PostgresDeltas();
