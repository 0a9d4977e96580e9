// Every entry that connects imports this first, so that an old Node or a missing package gives one sentence, not a stack of modules.
/* eslint-disable @typescript-eslint/no-require-imports -- loads a package only to say that it is missing */
import { loadPeer } from '../protocol';
import { requireNode } from './machine/node-version';
import { checkClientSdk, sdkPart } from './temporal-sdk';

requireNode();
loadPeer('@temporalio/common', () => require('@temporalio/common') as unknown);
loadPeer('@temporalio/client', () => require('@temporalio/client') as unknown);
loadPeer('@temporalio/envconfig', () => require('@temporalio/envconfig') as unknown);
checkClientSdk();
sdkPart('loadDataConverter');
