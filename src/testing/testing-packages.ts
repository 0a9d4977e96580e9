// `longhaul/testing` imports this first, so that a missing package gives one sentence, not a stack of modules.
import '../worker';
import { loadPeer } from '../protocol';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- loads a package only to say that it is missing
loadPeer('@temporalio/testing', () => require('@temporalio/testing') as unknown);
