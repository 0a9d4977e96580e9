import type { Json } from '../../base';
import type { TurnView } from '../../protocol';

/**
 * The turns as messages of the AI SDK. Of a turn in progress, only the user's message: the rest is in its stream. What came while a turn
 * worked stands in its answer, as in the stream.
 */
export function uiMessages(turns: readonly TurnView[]): readonly Json[] {
  return turns.flatMap(({ messageId, workflowId, user, steeredParts = 0, assistant, status }) => {
    const texts = textsOf(user);
    const later = texts.splice(texts.length - steeredParts);
    const said = { id: messageId, role: 'user', parts: [textPart(texts.join('\n'))] };
    if (status === 'queued' || status === 'running') return [said];
    const steered = later.map((text, index) => ({
      type: 'steering-message',
      id: `${workflowId}:${index + 2}`,
      parts: [textPart(text)],
    }));
    const answer = assistant === undefined ? [] : [textPart(assistant)];
    return [said, { id: workflowId, role: 'assistant', parts: [...steered, ...answer] }];
  });
}

function textPart(text: string): Json {
  return { type: 'text', text };
}

function textsOf(user: TurnView['user']): string[] {
  if (typeof user === 'string') return [user];
  return user.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
