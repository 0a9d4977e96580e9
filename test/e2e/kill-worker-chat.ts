import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TurnHandle } from '../../src/client';
import { SqliteStores } from '../../src/stores';
import { devServerAddress } from '../servers';
import { eventually } from '../workflow/eventually';
import type { KillSetup } from './kill-worker-setup';

export type KilledChat = {
  readonly answers: readonly string[];
  /** Turns that the store has when the worker is dead. */
  readonly savedBeforeKill: number;
  /** What the store has in the end. */
  readonly saved: readonly (readonly unknown[])[];
  /** At saving the first turn. */
  readonly attempts: number;
};

/**
 * The worker that saves a turn is killed before it has done so, or before it can say so; another one saves it again, and then comes
 * the next turn.
 */
export async function killInChat(
  setup: KillSetup,
  moment: 'diesBefore' | 'diesAfter',
): Promise<KilledChat> {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-killed-chat-'));
  setup.onClose(async () => rmSync(folder, { recursive: true }));
  const path = join(folder, 'chats.db');
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const stores = new SqliteStores({ path });
  setup.onClose(() => stores.close());
  const thread = longhaul.thread({ agent: 'chatty', sessionId: folder });
  const handle = longhaul.client.workflow.getHandle(thread.threadId);
  const load = () => stores.memory.default.loadTurns(thread.key);
  const saving = async () => (await handle.describe()).raw.pendingActivities ?? [];

  const firstWorker = await startWorker({ [moment]: 'saveTurn', stores: path });
  const first = await thread.send('chat');
  const answers = [await answerOf(first)];
  await firstWorker.exited;
  const savedBeforeKill = (await load()).length;
  let attempts = 0;
  await eventually('the save is tried again', async () => {
    attempts = (await saving())[0]?.attempt ?? 0;
    return attempts > 1;
  });
  await startWorker({ stores: path });
  answers.push(await answerOf(await thread.send('more')));
  await eventually('both are saved', async () => (await load()).length === 2);
  await eventually('nothing is left to save', async () => (await saving()).length === 0);
  const saved = (await load()).map(({ user, assistant }) => [user, assistant]);
  return { answers, savedBeforeKill, saved, attempts };
}

async function answerOf(turn: TurnHandle): Promise<string> {
  return (await turn.result()).finalResponse.text;
}
