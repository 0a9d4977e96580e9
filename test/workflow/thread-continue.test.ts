// A thread that outgrows its history: nobody notices.

import { defineAgent } from '../../src';
import { scriptedModel } from '../../src/testing/scripted-model';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness } from './harness';
import { continueAsNew, fetchHistory } from './history';
import { lastText } from './scripted-agents';

const long = (text: string, length = 200_000): string =>
  `${text} `.padEnd(length, 'lorem ipsum dolor ');

describe('a long thread', () => {
  it('interrupts a turn that has continued as new', async () => {
    const harness = await openHarness();
    const model = scriptedModel([
      { toolCalls: [{ name: 'ask_user', args: { question: 'Which one?' } }] },
      'Another one.',
    ]);
    const agent = defineAgent({ id: 'asker', model: 'scripted/one', askUser: 'tool' });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const thread = harness.longhaul.thread({ agent, sessionId: harness.taskQueue });
    const asking = await thread.send('Go.');
    await eventually('the question', async () => (await thread.pending()).length === 1);
    await continueAsNew(harness.longhaul, asking);
    const next = await thread.send('Stop.', { whenBusy: 'interrupt' });
    await expect(asking.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    expect((await next.result()).finalResponse.text).toBe('Another one.');
    await harness.close();
  });

  it('goes on as new between turns, with all that was said, is queued and was answered', async () => {
    const harness = await openHarness();
    const model = scriptedModel(
      Array.from(
        { length: 20 },
        () => (request: Parameters<typeof lastText>[0]) =>
          long(`<${lastText(request).split(' ')[0]}>`),
      ),
    );
    const agent = defineAgent({ id: 'long', model: 'scripted/one' });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const thread = harness.longhaul.thread({
      agent,
      sessionId: harness.taskQueue,
      session: { kept: true },
    });
    const texts = Array.from({ length: 10 }, (_, index) => `${index + 1}`);
    const sent = [];
    for (const text of texts)
      sent.push(await thread.send(long(text, 30_000), { messageId: `m-${text}` }));
    for (const [index, turn] of sent.entries()) {
      const { finalResponse } = await turn.result();
      expect(finalResponse.text.split(' ')[0]).toBe(`<${index + 1}>`);
    }
    const again = await thread.send('another text', { messageId: 'm-1' });
    expect(again.workflowId).toBe(sent[0]?.workflowId);
    expect(await thread.session()).toEqual({ kept: true });
    const lines = linesOf(model.requests.at(-1)?.messages ?? []).map((line) => line.split(' ')[0]);
    expect(lines).toEqual([...texts.slice(0, -1).flatMap((text) => [text, `<${text}>`]), '10']);
    expect(model.requests).toHaveLength(10);
    const [started] = await fetchHistory(harness.longhaul, thread.threadId);
    expect(started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeTruthy();
    const turns = await thread.turns();
    expect(turns.at(-1)?.turn).toBe(10);
    expect(await thread.state()).toMatchObject({ turn: 10, usage: { totalTokens: 150 } });
    await harness.close();
  });
});
