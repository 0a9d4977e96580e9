import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { people } from '../people.mts';
import { user, usePolled } from './backend';
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
  const [listed, refresh] = usePolled<{ readonly threads: readonly Thread[] }>('/threads');
  // A manager's list has the trips of everybody.
  const threads = (listed?.threads ?? []).filter((thread) => thread.user === user);
  return (
    <>
      <aside>
        <h1>Travel desk</h1>
        <Login />
        <nav>
          <a href={`#${newChat()}`}>New trip</a>
          <a href="#inbox" className={place === 'inbox' ? 'here' : ''}>
            Inbox
          </a>
          <h2>Trips</h2>
          {threads.map(({ threadId, chat, startTime, status }) => (
            <a key={threadId} href={`#${chat}`} className={chat === place ? 'here' : ''}>
              {new Date(startTime).toLocaleString()}
              {status === 'needs-input' && <small> waits for an answer</small>}
            </a>
          ))}
        </nav>
      </aside>
      <main>
        {place === 'inbox' ? <Inbox /> : <Chat key={place} id={place} onSent={refresh} />}
      </main>
    </>
  );
}

function Login() {
  return (
    <label className="login">
      You are
      <select value={user} onChange={({ target }) => location.assign(`/?user=${target.value}`)}>
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
