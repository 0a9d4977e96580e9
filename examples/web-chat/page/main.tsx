import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { people } from '../people.mts';
import { call, me, usePolled } from './backend';
import { Chat } from './chat';
import { Inbox } from './inbox';
import './style.css';

type Thread = {
  readonly threadId: string;
  readonly chat: string;
  readonly user: string;
  readonly status: string;
  readonly startTime: string;
};

function App() {
  const place = useHash();
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [listed, refresh] = usePolled<{ readonly threads: readonly Thread[] }>('/threads');
  // A manager's list has the trips of everybody.
  const threads = (listed?.threads ?? []).filter((thread) => thread.user === me.user);
  useEffect(() => setIsMenuOpen(false), [place]);
  return (
    <>
      <header className="top">
        <h1>Travel desk</h1>
        <button
          className="menu"
          aria-expanded={isMenuOpen}
          aria-controls="places"
          onClick={() => setIsMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
        <div id="places" className={isMenuOpen ? 'open' : ''}>
          <Login />
          <nav aria-label="Places">
            <a href={`#${newChat()}`}>New trip</a>
            <Place name="inbox" isHere={place === 'inbox'}>
              Inbox
            </Place>
            {threads.length > 0 && <h2>Trips</h2>}
            {threads.map((thread) => (
              <Trip key={thread.threadId} thread={thread} isHere={thread.chat === place} />
            ))}
          </nav>
        </div>
      </header>
      <main>
        {place === 'inbox' ? <Inbox /> : <Chat key={place} id={place} onSent={refresh} />}
      </main>
    </>
  );
}

type PlaceProps = {
  readonly name: string;
  readonly isHere: boolean;
  readonly children: React.ReactNode;
};

function Place({ name, isHere, children }: PlaceProps) {
  return (
    <a href={`#${name}`} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}

/** A trip is called by its first words. */
function Trip({ thread, isHere }: { readonly thread: Thread; readonly isHere: boolean }) {
  const { chat, startTime, status } = thread;
  const [words, setWords] = useState(new Date(startTime).toLocaleString());
  useEffect(() => {
    void call<{ turns: readonly { user: unknown }[] }>(`/travel/${chat}/turns`).then(
      ({ turns: [first] }) => typeof first?.user === 'string' && setWords(first.user),
      () => undefined,
    );
  }, [chat]);
  return (
    <Place name={chat} isHere={isHere}>
      <span className="trip">{words}</span>
      {status === 'needs-input' && <small>waits for an answer</small>}
    </Place>
  );
}

function Login() {
  return (
    <label className="login">
      You are
      <select value={me.user} onChange={({ target }) => location.assign(`/?user=${target.value}`)}>
        {people.map(({ user, name, roles = [] }) => (
          <option key={user} value={user}>
            {[name, ...roles].join(', ')}
          </option>
        ))}
      </select>
      <small>No password: this stands in for a login.</small>
    </label>
  );
}

function newChat(): string {
  return `trip-${crypto.randomUUID().slice(0, 8)}`;
}

/** The id of the conversation, or `inbox`. */
function useHash(): string {
  const [hash, setHash] = useState(() => location.hash.slice(1) || newChat());
  useEffect(() => {
    const follow = (): void => setHash(location.hash.slice(1));
    history.replaceState(null, '', `#${hash}`);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return hash;
}

createRoot(document.getElementById('root') as HTMLElement).render(<App />);
