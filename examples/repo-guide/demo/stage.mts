import { openStage, type Stage, type StageHands } from '../../shared/stage.mts';
import { nextTurn } from './offline-script.mts';

/** A stage on which the repo guide answers questions about a folder. */
export async function openGuideStage(folder: string, hands: StageHands): Promise<Stage> {
  const worker = new URL('../worker.mts', import.meta.url);
  return await openStage({ script: nextTurn, worker, settings: { folder } }, hands);
}
