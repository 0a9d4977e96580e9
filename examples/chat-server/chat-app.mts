import { Hono, type Context } from 'hono';
import { LonghaulError } from 'longhaul';
import type { AgentRunOutcome, Longhaul, ThreadHandle } from 'longhaul/client';

/**
 * A chat behind HTTP. The backend keeps nothing: which conversation a request is about stands in the request, so that any number of
 * these processes serve all of them.
 */
export function chatApp(longhaul: Longhaul): Hono {
  const app = new Hono();

  const threadOf = (context: Context): ThreadHandle =>
    longhaul.thread({
      agent: 'concierge',
      appName: 'hotel',
      // Whom your authentication found, never what the browser merely says.
      userId: context.req.header('x-user') ?? 'guest',
      sessionId: context.req.param('chat') ?? '',
    });

  /** `id` is made by the browser: a request that is sent again is answered from the same turn. */
  app.post('/chats/:chat/messages', async (context) => {
    const { id, text } = await context.req.json<{ id: string; text: string }>();
    const turn = await threadOf(context).send(text, { messageId: id });
    return context.json(toReply(await turn.outcome()));
  });

  /** To what a turn asked. */
  app.post('/chats/:chat/answers', async (context) => {
    const { id, inputId, text } =
      await context.req.json<Record<'id' | 'inputId' | 'text', string>>();
    const thread = threadOf(context);
    const sent = (await thread.turns()).find(({ messageId }) => messageId === id);
    if (sent === undefined) return context.json({ error: `there is no message '${id}'` }, 404);
    const turn = thread.turn(sent);
    await turn.resume(text, { inputId });
    return context.json(toReply(await turn.outcome()));
  });

  app.get('/chats/:chat/messages', async (context) => {
    const turns = await threadOf(context).turns({ last: 50 });
    return context.json(
      turns.map(({ messageId: id, user, assistant, status }) => ({ id, user, assistant, status })),
    );
  });

  app.delete('/chats/:chat', async (context) => {
    await threadOf(context).clear();
    return context.body(null, 204);
  });

  app.onError((error, context) => {
    const code = LonghaulError.is(error) ? error.code : 'InternalError';
    return context.json({ error: error.message, code }, code === 'InvalidInput' ? 400 : 502);
  });
  return app;
}

function toReply(outcome: AgentRunOutcome): object {
  if (outcome.kind === 'complete') return { answer: outcome.result.finalResponse.text };
  const { inputId, question, options } = outcome;
  return { inputId, question, options };
}
