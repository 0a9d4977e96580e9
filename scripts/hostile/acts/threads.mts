// Plays on conversations: messages at any time, stops, clears, and other people's.

import type { Attacker, Reply } from '../attacker.mts';
import type { Chat } from '../world.mts';

const busy = ['queue', 'reject', 'interrupt', 'steer', undefined] as const;

export async function message(one: Attacker): Promise<void> {
  const chat = one.chat();
  await send(one, chat, one.random.pick(busy));
  if (one.random.chance(50)) await send(one, chat, one.random.pick(busy));
  await readChat(one, chat);
}

/** Sends a text, and remembers that it must be answered. */
export async function send(
  one: Attacker,
  chat: Chat,
  whenBusy?: (typeof busy)[number],
): Promise<Reply> {
  const text = one.text();
  const messageId = one.id('message');
  const body = { input: text, messageId, ...(whenBusy && { whenBusy }) };
  const from = Date.now();
  const ask = { method: 'POST', path: `/${chat.agent}/${chat.name}/messages`, body } as const;
  const reply = await one.ask(ask);
  const times = { from, to: Date.now() };
  if (reply.status !== 202) return reply;
  if (whenBusy === 'interrupt') one.world.lose(chat, { ...times, what: 'interrupt' });
  one.world.claims.push({
    kind: 'sent',
    chat,
    messageId,
    text,
    whenBusy: whenBusy ?? 'queue',
    times,
  });
  addTurn(one, chat, reply.body.workflowId);
  if (one.random.chance(20)) await one.ask(ask);
  return reply;
}

function addTurn(one: Attacker, { agent, name: chat }: Chat, id: string | undefined): void {
  if (id !== undefined) one.world.addThing({ id, kind: 'turn', agent, owner: one.person, chat });
}

/** Reads a chat in all ways, and learns the ids of its thread and turns. */
export async function readChat(one: Attacker, chat: Chat): Promise<void> {
  const { agent, name } = chat;
  const path = `/${agent}/${name}`;
  const [state, turns] = await Promise.all([
    one.ask({ path }),
    one.ask({ path: `${path}/turns${one.random.chance(30) ? '?last=1' : ''}` }),
  ]);
  const id = state.body.threadId;
  if (id !== undefined)
    one.world.addThing({ id, kind: 'thread', agent, owner: one.person, chat: name });
  for (const turn of turns.body.turns ?? []) addTurn(one, chat, turn.workflowId);
  if (one.random.chance(50)) await one.ask({ path: `${path}/ui-messages` });
  if (one.random.chance(30)) await one.ask({ path: `/${one.agent()}/${name}` });
  if (one.random.chance(30)) await one.ask({ path: `${path}/stream`, readMs: 500 });
}

export async function clear(one: Attacker): Promise<void> {
  const chat = one.chat();
  const path = `/${chat.agent}/${chat.name}`;
  const before = await one.ask({ path: `${path}/turns` });
  const { status } = await one.ask({ method: 'POST', path: `${path}/clear`, body: {} });
  if (status !== 204) return;
  const done = (before.body.turns ?? []).filter((turn) => turn.status === 'completed');
  const after = await one.ask({ path: `${path}/turns` });
  if (after.status !== 200) return;
  for (const { messageId } of done)
    if (after.body.turns?.some((turn) => turn.messageId === messageId) === true)
      one.world.report(`${one.play}: ${messageId} of ${path} is there after the clear`);
}

/** Stops a turn, and says something else at once: that must be answered. */
export async function stopAndSay(one: Attacker): Promise<void> {
  const chat = one.chat(one.random.pick(['thrifty', 'talker', 'asker', 'manager']));
  const path = `/${chat.agent}/${chat.name}`;
  const { body } = await send(one, chat);
  const turn = body.workflowId === undefined ? undefined : one.world.thing(body.workflowId);
  await one.ask({ path: `${path}/turns` });
  const { status } = await one.ask({ method: 'POST', path: `${path}/stop` });
  if (status === 204 && turn !== undefined && body.turn === 1)
    one.world.claims.push({ kind: 'ended', thing: turn, what: 'stop' });
  await send(one, chat, one.random.pick(['steer', 'steer', 'queue']));
}
