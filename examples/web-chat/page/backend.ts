import { useEffect, useState } from 'react';
import { people } from '../people.mts';

/** The person is part of the page's address, so two tabs may be two people. A real page has a session instead. */
const asked = new URLSearchParams(location.search).get('user');
export const me = people.find(({ user }) => user === asked) ?? people[0];
export const headers = { 'x-user': me.user };

/** What a problem document says. `pointer` names a member of what was sent, such as `/args/seat`. */
export class Refusal extends Error {
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];

  constructor(status: number, problem: Partial<Refusal> & { title?: string; detail?: string }) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`);
    this.errors = problem.errors ?? [];
  }
}

/** Gets, or posts if there is a body. Throws a refusal. */
export async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(`/api${path}`, {
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (response.status === 204) return undefined as Answer;
  const answer: unknown = await response.json();
  if (response.ok) return answer as Answer;
  throw new Refusal(response.status, answer as Partial<Refusal>);
}

const pollMs = 2_000;

/** What is there, asked again and again, and at once by the returned function. Without a path it does not ask. */
export function usePolled<Answer>(
  path: string | undefined,
): readonly [Answer | undefined, () => void] {
  const [answer, setAnswer] = useState<Answer>();
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (path === undefined) return setAnswer(undefined);
    let isOver = false;
    const ask = async (): Promise<void> => {
      const got = await call<Answer>(path).catch(() => undefined);
      if (!isOver && got !== undefined) setAnswer(got);
    };
    void ask();
    const timer = setInterval(() => void ask(), pollMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [path, asked]);
  return [answer, () => setAsked((count) => count + 1)];
}
