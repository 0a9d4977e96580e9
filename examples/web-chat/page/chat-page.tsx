// The smallest chat with useChat: a question, an approval and a call of the page. test/e2e/docs-page.test.ts runs it.
import { useState } from 'react';
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, getToolName, isToolUIPart, type UIMessage } from 'ai';
import { lastAssistantMessageIsCompleteWithApprovalResponses as isJudged } from 'ai';
import { lastAssistantMessageIsCompleteWithToolCalls as isAnswered } from 'ai';

const transport = new DefaultChatTransport({ api: '/agents/support' });
const headers = { 'content-type': 'application/json' };

export function ChatPage({ id, messages }: { id: string; messages: UIMessage[] }) {
  const sendAutomaticallyWhen = (chat: { messages: UIMessage[] }) =>
    isAnswered(chat) || isJudged(chat);
  const chat = useChat({ id, messages, transport, resume: true, sendAutomaticallyWhen });
  const [text, setText] = useState('');
  const send = () => {
    void chat.sendMessage({ text });
    setText('');
  };
  /** The id of an assistant's message is that of its turn, which is a run. */
  const draw = (part: UIMessage['parts'][number], turn: string) => {
    if (part.type === 'text') return part.text;
    if (!isToolUIPart(part)) return null;
    const [tool, { toolCallId, state }] = [getToolName(part), part];
    const give = (output: unknown) => void chat.addToolOutput({ tool, toolCallId, output });
    if (part.state === 'approval-requested') {
      const { id, descriptor } = part.approval;
      const judge = (approved: boolean, reason = '') =>
        void chat.addToolApprovalResponse({ id, approved, reason });
      const edit = async (args = prompt('Arguments', JSON.stringify(part.input))) => {
        const { digest: seen } = descriptor as { digest?: string }; // What the person saw.
        const path = `/agents/runs/${encodeURIComponent(turn)}/inputs/${encodeURIComponent(id)}/approve`;
        await fetch(path, {
          method: 'POST',
          headers,
          body: JSON.stringify({ args: JSON.parse(args ?? 'null') as unknown, seen }),
        });
        await chat.resumeStream();
      };
      return (
        <>
          {tool} {JSON.stringify(part.input)} <button onClick={() => judge(true)}>Approve</button>
          <button onClick={() => void edit()}>Change and approve</button>
          <button onClick={() => judge(false, prompt('Why not?') ?? '')}>Reject</button>
        </>
      );
    }
    if (state !== 'input-available')
      return `${tool}: ${part.errorText ?? JSON.stringify(part.output ?? state)}`;
    if (tool === 'pick_seat')
      return <button onClick={() => give({ seat: '12A' })}>Pick 12A</button>;
    if (tool !== 'ask_user') return `${tool} …`;
    const { question, options = [] } = part.input as { question: string; options?: string[] };
    return (
      <>
        {question}{' '}
        {options.map((each) => (
          <button key={each} onClick={() => give(each)}>
            {each}
          </button>
        ))}
      </>
    );
  };
  return (
    <>
      {chat.messages.map(({ id, parts }) =>
        parts.map((part, index) => <p key={id + index}>{draw(part, id)}</p>),
      )}
      {chat.error && <p>{chat.error.message}</p>}
      <form action={send}>
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
      </form>
    </>
  );
}
