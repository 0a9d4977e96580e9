// `longhaul/worker` imports this first, so that an old Node or a missing package gives one sentence, not a stack of modules.
/* eslint-disable @typescript-eslint/no-require-imports -- loads a package only to say that it is missing */
import '../server';
import { loadPeer } from '../protocol';

loadPeer('@temporalio/worker', () => require('@temporalio/worker') as unknown);
loadPeer('@temporalio/activity', () => require('@temporalio/activity') as unknown);
loadPeer('@temporalio/workflow', () => require.resolve('@temporalio/workflow'));
