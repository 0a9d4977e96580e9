import type { Json } from '../../base';
import type { TurnView } from '../../protocol';

/** The turns as messages of the AI SDK. Of a turn in progress, only the user's message: the rest is in its stream. */
export function uiMessages(turns: readonly TurnView[]): readonly Json[] {
  return turns.flatMap(({ messageId, workflowId, user, assistant, status }) => {
    const said = { id: messageId, role: 'user', parts: [textPart(textOf(user))] };
    if (status === 'queued' || status === 'running') return [said];
    const parts = assistant === undefined ? [] : [textPart(assistant)];
    return [said, { id: workflowId, role: 'assistant', parts }];
  });
}

function textPart(text: string): Json {
  return { type: 'text', text };
}

function textOf(user: TurnView['user']): string {
  if (typeof user === 'string') return user;
  return user.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
