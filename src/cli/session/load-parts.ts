/* eslint-disable @typescript-eslint/no-require-imports -- Temporal's SDK takes a second to load: help and usage errors do without,
   and only commands that run a worker load that part */
import type * as temporalWorker from '@temporalio/worker';
import type * as client from '../../client/index';
import { loadPeer } from '../../protocol';
import type * as providers from '../../providers';
import type * as server from '../../server';
import type * as devServer from '../../server/dev';
import type * as stores from '../../stores';
import type * as worker from '../../worker';
import type * as workerRoom from '../../worker/index';

export const loadClient = (): typeof client => require('../../client/index') as typeof client;

export const loadProviders = (): typeof providers => require('../../providers') as typeof providers;

export const loadServer = (): typeof server => require('../../server') as typeof server;

export const loadDevServer = (): typeof devServer =>
  require('../../server/dev') as typeof devServer;

export const loadStores = (): typeof stores => require('../../stores') as typeof stores;

export const loadWorker = (): typeof worker => require('../../worker') as typeof worker;

export const loadWorkerRoom = (): typeof workerRoom =>
  require('../../worker/index') as typeof workerRoom;

export const loadTemporalWorker = (): typeof temporalWorker =>
  loadPeer('@temporalio/worker', () => require('@temporalio/worker') as typeof temporalWorker);
