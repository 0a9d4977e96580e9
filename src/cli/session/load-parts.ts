/* eslint-disable @typescript-eslint/no-require-imports -- Temporal's SDK takes a second to load: help and usage errors do without,
   and only commands that run a worker load that part */
import type * as temporalWorker from '@temporalio/worker';
import type * as client from '../../client';
import type * as deltas from '../../deltas/process-deltas';
import type * as runView from '../../client/run-view';
import type * as threadCalls from '../../client/thread-calls';
import type * as connectionOptions from '../../server/connection-options';
import type * as devServer from '../../server/dev-server';
import type * as worker from '../../worker';
import { loadPeer } from '../../protocol/peers';

export const loadClient = (): typeof client => require('../../client') as typeof client;

export const loadDeltas = (): typeof deltas =>
  require('../../deltas/process-deltas') as typeof deltas;

export const loadRunView = (): typeof runView => require('../../client/run-view') as typeof runView;

export const loadThreadCalls = (): typeof threadCalls =>
  require('../../client/thread-calls') as typeof threadCalls;

export const loadConnectionOptions = (): typeof connectionOptions =>
  require('../../server/connection-options') as typeof connectionOptions;

export const loadDevServer = (): typeof devServer =>
  require('../../server/dev-server') as typeof devServer;

export const loadWorker = (): typeof worker => require('../../worker') as typeof worker;

export const loadTemporalWorker = (): typeof temporalWorker =>
  loadPeer('@temporalio/worker', () => require('@temporalio/worker') as typeof temporalWorker);
