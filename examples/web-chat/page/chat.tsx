import { type RefObject, useEffect, useRef, useState } from 'react';
import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { call, headers, usePolled } from './backend';
import { Composer } from './composer';
import { type Input, InputCard } from './input-card';
import { isWaiting, MessageView, Said } from './message';

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
    // When all calls that the page does by itself have results, they go to the server.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  const last = chat.messages.at(-1);
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  const isOpen = !isBusy && waits(last);
  const isIdle = !isBusy && !isOpen;
  const inputs = useOpenInputs(isOpen ? last?.id : undefined, reload);
  const endings = useEndings(id, isIdle);
  const { unread, say } = useSteering(id, { chat, isIdle, reload });
  const page = useRef<HTMLDivElement>(null);
  const scroller = useStickToEnd();
  useFocus(page, isIdle ? 'idle' : inputs.map(({ inputId }) => inputId).join(' '));
  const stop = async (): Promise<void> => {
    await call(`/travel/${id}/stop`, {});
    if (!isBusy) reload();
  };
  return (
    <div className="chat" data-status={chat.status} ref={page}>
      <div
        className="scroller"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-busy={isBusy}
      >
        <div className="messages">
          {chat.messages.map((message) => (
            <MessageView
              key={message.id}
              message={message}
              isOpen={isOpen && message === last}
              ending={endings.get(message.id)}
            />
          ))}
          {unread.map((text) => (
            <Said key={text} text={text} note="The agent reads it when it goes on." />
          ))}
        </div>
        {inputs.map((input) => (
          <InputCard
            key={`${input.inputId} ${input.digest}`}
            input={input}
            workflowId={last?.id ?? ''}
            onDone={() => chat.resumeStream()}
          />
        ))}
        {chat.error && (
          <p className="error" role="alert">
            {textOf(chat.error)} <button onClick={reload}>Reload</button>
          </p>
        )}
      </div>
      <p role="status" className="unseen">
        {isBusy && 'The agent works.'}
        {inputs.length > 0 && 'An answer is needed.'}
      </p>
      <Composer
        isFirst={chat.messages.length === 0}
        send={(text) => {
          say(text);
          onSent();
        }}
        stop={isIdle ? undefined : () => void stop()}
      />
    </div>
  );
}

function waits(message: UIMessage | undefined): boolean {
  return message?.parts.some((part) => isToolUIPart(part) && isWaiting(part)) ?? false;
}

/** What the turn waits for. When somebody else answered what this page still shows as open, it loads the conversation again. */
function useOpenInputs(turn: string | undefined, reload: () => void): readonly Input[] {
  const path = turn === undefined ? undefined : `/runs/${encodeURIComponent(turn)}`;
  const [state] = usePolled<{ readonly pending: readonly Input[] }>(path);
  const open = state?.pending.map(({ inputId }) => inputId).join(' ');
  const before = useRef<string>(undefined);
  useEffect(() => {
    const hasChanged = before.current !== undefined && ![before.current, undefined].includes(open);
    if (open === '' || hasChanged) reload();
    before.current = open;
  }, [open]);
  return turn === undefined ? [] : (state?.pending.filter(({ byToken }) => !byToken) ?? []);
}

type Turn = { readonly workflowId: string; readonly status: string };

/** How the turns ended, by their messages. */
function useEndings(id: string, isIdle: boolean): ReadonlyMap<string, string> {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  useEffect(() => {
    if (!isIdle) return;
    void call<{ turns: readonly Turn[] }>(`/travel/${id}/turns?last=100`).then(
      (got) => setTurns(got.turns),
      () => undefined,
    );
  }, [id, isIdle]);
  return new Map(turns.map(({ workflowId, status }) => [workflowId, status]));
}

type Chatting = {
  readonly chat: ReturnType<typeof useChat>;
  readonly isIdle: boolean;
  readonly reload: () => void;
};

/** What a person writes while a turn works or waits goes into that turn: its model reads it next. */
function useSteering(id: string, { chat, isIdle, reload }: Chatting) {
  const [texts, setTexts] = useState<readonly string[]>([]);
  const read = new Set(chat.messages.flatMap(({ parts }) => parts.flatMap(textsOf)));
  const unread = texts.filter((text) => !read.has(text));
  const isMissed = isIdle && unread.length > 0;
  // The turn ended before it read the text, which is a turn now.
  useEffect(() => {
    if (isMissed) reload();
  }, [isMissed]);
  const say = (text: string): void => {
    if (isIdle) return void chat.sendMessage({ text });
    const sent = { input: text, messageId: crypto.randomUUID(), whenBusy: 'steer' };
    void call(`/travel/${id}/messages`, sent).then(() => setTexts([...texts, text]), reload);
  };
  return { unread, say };
}

function textsOf(part: UIMessage['parts'][number]): string[] {
  return part.type === 'steering-message' ? part.parts.flatMap(textsIn) : [];
}

function textsIn(part: object): string[] {
  return 'text' in part ? [part.text as string] : [];
}

/** Keeps the end in view, unless the person has scrolled up. */
function useStickToEnd(): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const follow = (): void => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    };
    element.addEventListener('scroll', follow);
    return () => element.removeEventListener('scroll', follow);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) ref.current?.scrollTo({ top: ref.current.scrollHeight });
  });
  return ref;
}

/** The focus goes to what asks, and back to the composer. It stays where somebody types. */
function useFocus(page: RefObject<HTMLElement | null>, waits: string): void {
  useEffect(() => {
    const { activeElement } = document;
    const isTyping = activeElement instanceof HTMLInputElement && activeElement.value !== '';
    if (isTyping || waits === '') return;
    const asks = page.current?.querySelector<HTMLElement>('.card h2');
    (asks ?? page.current?.querySelector<HTMLElement>('.composer input'))?.focus();
  }, [waits]);
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
