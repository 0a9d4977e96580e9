import type { LonghaulError } from '../../protocol/errors';
import { databaseError } from '../state-rows';

/**
 * SQLSTATEs of what may pass without a change to the data: connection, login and database (an operator puts them right), resources,
 * shutdown and start, time-outs, deadlock, lock, a standby that takes over, disk.
 */
const passing = /^(?:08|28|3D000|53|57P0|57014|58|40001|40P01|55P03|25006|25P03)/;
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

/** An error without a SQLSTATE never reached the server or lost it. */
export function postgresError(error: unknown): LonghaulError {
  return databaseError('PostgreSQL', error, ({ code }) => {
    if (typeof code !== 'string') return true;
    return sqlState.test(code) ? passing.test(code) : code !== 'ERR_INVALID_URL';
  });
}
