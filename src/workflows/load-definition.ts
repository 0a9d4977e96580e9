// What a run pins when it starts: the closure of its runner, recorded whole once, so that a redeploy never changes a running one.

import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { LoadDefinitionInput, LoadDefinitionResult } from '../protocol/activities';
import { SpecError } from '../protocol/error-classes';
import { LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { definitionActivities, localActivities } from './activity-proxies';

export type LoadedDefinition = Extract<LoadDefinitionResult, { kind: 'found' }>;

export async function loadDefinition(input: LoadDefinitionInput): Promise<LoadedDefinition> {
  const here = await localActivities.loadDefinition(input);
  if (here.kind === 'found') return here;
  if (here.kind === 'invalid') throw new SpecError(here.message);
  const elsewhere = await findElsewhere(input);
  if (elsewhere?.kind === 'found') return elsewhere;
  if (elsewhere?.kind === 'invalid') throw new SpecError(elsewhere.message);
  const seconds = timeouts.definitionSearch / 1_000;
  throw new LonghaulError(here.code, `${here.message} (no worker knew it for ${seconds} seconds)`);
}

async function findElsewhere(
  input: LoadDefinitionInput,
): Promise<LoadDefinitionResult | undefined> {
  try {
    return await definitionActivities.findDefinition(input);
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return undefined;
    throw error;
  }
}
