// Asks a waiting run to move to another definition of its agent. The run decides, because only the run knows what is open.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { defined } from '../../base';
import { checkNote } from '../../core/machine/answer';
import { readActor } from '../../core/people/actor';
import { checkRunner } from '../../core/run-input';
import { type Actor, type MigrateInput, type MigrateReply, updateNames } from '../../protocol';
import type { AnswerSender } from './answer-sender';
import { overExecutions, uninterrupted } from '../server/calls';
import { checkOptions } from '../server/check-options';

export type MigrateOptions = {
  /** Who moves the run. Default: the actor of `connect`. */
  readonly by?: Actor;
  /** A remark for the audit. The model does not see it. */
  readonly note?: string;
};

const attempts = 3;

export async function migrateRun(
  client: Client,
  { workflowId, answers }: { readonly workflowId: string; readonly answers: AnswerSender },
  {
    runner,
    options,
  }: { readonly runner: MigrateInput['runner']; readonly options: MigrateOptions },
): Promise<MigrateReply> {
  checkOptions('migrate', options, { by: true, note: true });
  const { by, note } = options;
  checkRunner(runner);
  if (note !== undefined) checkNote(note);
  const request: MigrateInput = { runner, ...defined({ by: by && readActor(by), note }) };
  const send = async (signal: AbortSignal): Promise<MigrateReply> => {
    const updateId = randomUUID();
    return await uninterrupted(() =>
      client.withAbortSignal(signal, () =>
        client.workflow
          .getHandle(workflowId)
          .executeUpdate<MigrateReply, [MigrateInput]>(updateNames.migrate, {
            args: [request],
            updateId,
          }),
      ),
    );
  };
  return await answers.served((signal) => overExecutions(attempts, () => send(signal)));
}
