// What an honest user does first, so that the code of the handler is loaded before anybody measures it.

import { talkAgUi, talkAiSdk } from './acts/wires.mts';
import { readChat, send } from './acts/threads.mts';
import type { Attacker } from './attacker.mts';

export async function warmUp(one: Attacker): Promise<void> {
  one.play = 'warm';
  for (const agent of ['asker', 'talker', 'payer'] as const) {
    const body = { input: one.text() };
    const { body: started } = await one.ask({ method: 'POST', path: `/${agent}/runs`, body });
    const thing = one.world.thing(started.workflowId ?? '');
    if (thing === undefined) continue;
    for (const path of ['', '/transcript', '/events?tree=1', '?wrong=1'])
      await one.ask({ of: thing, path, readMs: 1_500 });
    const input = '/inputs/q0.0/answer';
    await one.ask({ method: 'POST', of: thing, path: input, body: { answer: 'x' } });
    await one.ask({ method: 'POST', of: thing, path: '/messages', body: { text: one.text() } });
    await one.ask({ method: 'POST', of: thing, path: '/cancel', body: {} });
  }
  for (const path of ['/runs', '/threads', '/inbox?whole=1', '/nothing']) await one.ask({ path });
  await talkAgUi(one);
  await talkAiSdk(one);
  const chat = one.chat('talker');
  await send(one, chat);
  await readChat(one, chat);
  await one.ask({ method: 'POST', path: `/talker/${chat.name}/messages`, body: '{"input":' });
}
