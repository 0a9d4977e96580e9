// What a run meets while the workers are of several versions.
import type { Longhaul } from 'longhaul/client';
import { agent, ask, until, type Cases, type Stage } from '../case.mts';

const deployment = 'recorded-moved-thread';

const pinned = (stage: Stage, buildId: string) =>
  stage.worker({ workerDeployment: { name: deployment, buildId, behavior: 'PINNED' } });

/** The server knows a version once a worker of it has polled. */
async function makeCurrent({ client }: Longhaul, buildId: string): Promise<void> {
  const { namespace } = client.options;
  const version = { namespace, deploymentName: deployment, buildId, ignoreMissingTaskQueues: true };
  await until(() =>
    client.workflowService.setWorkerDeploymentCurrentVersion(version).then(
      () => true,
      () => false,
    ),
  );
}

export const versions: Cases = {
  /** Pinned to a version, it continues as new on the one that is current. */
  'moved-thread': {
    runner: agent('moved-thread'),
    steps: ['Hello.', 'Hello again.', 'Bye.'],
    own: () => ({}),
    startsWorkers: true,
    talk: async (thread, stage) => {
      const say = async (text: string) => (await thread.send(text)).result();
      const first = await pinned(stage, 'one');
      first.start();
      await makeCurrent(stage.longhaul, 'one');
      await say('Hi.');
      const second = await pinned(stage, 'two');
      second.start();
      await makeCurrent(stage.longhaul, 'two');
      await say('Hi again.');
      await say('Bye.');
      const handle = stage.longhaul.client.workflow.getHandle(thread.threadId);
      await until(async () => !(await handle.describe()).raw.pendingWorkflowTask);
      await Promise.all([first.stop(), second.stop()]);
    },
  },
  /** Messages with a member that only a newer version knows. */
  'newer-messages': {
    runner: agent('newer-messages', { askUser: 'tool' }),
    steps: [
      { toolCalls: [{ name: 'remember', args: { note: 'a note' } }], delayMs: 2_000 },
      ask('Which tree?'),
      'An oak.',
    ],
    talk: async (thread, { longhaul, modelCalled }) => {
      const turn = await thread.send('Hi.');
      const run = longhaul.client.workflow.getHandle(turn.workflowId);
      await modelCalled();
      await run.signal('steer', { messageId: 'newer', text: 'Count well.', newer: 1 });
      const outcome = await turn.outcome();
      if (outcome.kind !== 'needs-input') throw new Error('it asks nothing');
      const { inputId } = outcome;
      await run.signal('answer', { kind: 'answer', answer: 'oak', inputId, newer: 1 });
      await turn.result();
    },
  },
};
