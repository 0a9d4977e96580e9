import { useEffect, useRef, useState } from 'react';
import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import type { PendingInput } from 'longhaul/client';
import { call, headers, sendVerdict, usePolled } from './backend';
import { type Answers, MessageView } from './message';

type ChatProps = {
  readonly id: string;
  readonly onSent: () => void;
};

/** Loads the earlier turns, and again when the page cannot know what happened. */
export function Chat({ id, onSent }: ChatProps) {
  const [loaded, setLoaded] = useState<{ readonly messages: UIMessage[]; readonly at: number }>();
  const [at, setAt] = useState(0);
  useEffect(() => {
    let isOver = false;
    void call<{ messages: UIMessage[] }>(`/travel/${id}/ui-messages`)
      .catch(() => ({ messages: [] }))
      .then(({ messages }) => isOver || setLoaded({ messages, at }));
    return () => void (isOver = true);
  }, [id, at]);
  if (loaded === undefined) return null;
  const reload = (): void => setAt(at + 1);
  const { messages } = loaded;
  return <Conversation key={loaded.at} {...{ id, messages, onSent, reload }} />;
}

const transport = new DefaultChatTransport({ api: '/api/travel', headers });

type ConversationProps = ChatProps & {
  readonly messages: UIMessage[];
  readonly reload: () => void;
};

function Conversation({ id, messages, onSent, reload }: ConversationProps) {
  const chat = useChat({
    id,
    messages,
    transport,
    // What a reload interrupted goes on: the stream tells the turn in progress from its beginning.
    resume: true,
    // When all questions of a step are answered, the answers go to the server.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  const isOpen = !isBusy && (chat.messages.at(-1)?.parts.some(isOpenInput) ?? false);
  useAnsweredElsewhere(isOpen ? chat.messages.at(-1)?.id : undefined, reload);
  const stop = async (): Promise<void> => {
    await call(`/travel/${id}/stop`, {});
    if (!isBusy) reload();
  };
  return (
    <div className="chat" data-status={chat.status}>
      <div className="messages">
        {chat.messages.map((message) => (
          <MessageView key={message.id} message={message} answers={answersOf(chat, message)} />
        ))}
      </div>
      {chat.error && (
        <p className="error">
          {textOf(chat.error)} <button onClick={reload}>Reload</button>
        </p>
      )}
      {isBusy || isOpen ? (
        <button className="stop" onClick={() => void stop()}>
          Stop
        </button>
      ) : (
        <Composer
          hints={chat.messages.length === 0}
          send={(text) => {
            void chat.sendMessage({ text });
            onSent();
          }}
        />
      )}
    </div>
  );
}

/** What a person may do with the open inputs of a message. Its id is the workflow id of the turn. */
function answersOf(chat: ReturnType<typeof useChat>, { id: workflowId }: UIMessage): Answers {
  return {
    answer: (toolCallId, tool, output) => {
      void chat.addToolOutput({ tool, toolCallId, output });
    },
    // Longhaul's own routes take changed arguments, and say at once if this person may not decide. Then the stream goes on.
    judge: async (inputId, verdict) => {
      await sendVerdict(workflowId, inputId, verdict);
      await chat.resumeStream();
    },
  };
}

/** When somebody else answered what this page still shows as open, it loads the conversation again. */
function useAnsweredElsewhere(turn: string | undefined, reload: () => void): void {
  const path = turn === undefined ? undefined : `/runs/${encodeURIComponent(turn)}`;
  const [state] = usePolled<{ readonly pending: readonly PendingInput[] }>(path);
  const open = state?.pending.map(({ inputId }) => inputId).join(' ');
  const before = useRef<string>(undefined);
  useEffect(() => {
    const hasChanged = ![before.current, undefined].includes(open);
    if (open === '' || (before.current !== undefined && hasChanged)) reload();
    before.current = open;
  }, [open]);
}

function isOpenInput(part: UIMessage['parts'][number]): boolean {
  return (
    isToolUIPart(part) && (part.state === 'approval-requested' || part.state === 'input-available')
  );
}

const hints = [
  'I must go to Berlin on Monday.',
  'Book a hotel in Berlin for 4 nights.',
  'Tell me about Berlin.',
];

function Composer(props: { readonly hints: boolean; readonly send: (text: string) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') props.send(text);
        setText('');
      }}
    >
      {props.hints && (
        <div className="hints">
          {hints.map((hint) => (
            <button type="button" key={hint} onClick={() => props.send(hint)}>
              {hint}
            </button>
          ))}
        </div>
      )}
      <input
        value={text}
        placeholder="Where to?"
        autoFocus
        onChange={({ target }) => setText(target.value)}
      />
      <button>Send</button>
    </form>
  );
}

/** The transport throws the body of a refusal, which is a problem document. */
function textOf({ message }: Error): string {
  try {
    const { detail, title } = JSON.parse(message) as { detail?: string; title?: string };
    return detail ?? title ?? message;
  } catch {
    return message;
  }
}
