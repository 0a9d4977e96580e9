import { useEffect, useState } from 'react';

/** The person is part of the page's address, so two tabs may be two people. A real page has a session instead. */
export const user = new URLSearchParams(location.search).get('user') ?? 'ada';
export const headers = { 'x-user': user };

/** Gets, or posts if there is a body. Throws an error with the detail of the problem document. */
export async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(`/api${path}`, {
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (response.status === 204) return undefined as Answer;
  const answer: unknown = await response.json();
  if (response.ok) return answer as Answer;
  const { title, detail = title } = answer as { title?: string; detail?: string };
  throw new Error(detail ?? `the server answered ${response.status}`);
}

/** `seen`: the digest of what the person saw. If something else is open by now, the run refuses the verdict. */
export type Verdict = {
  readonly approved: boolean;
  readonly seen?: string;
  /** All arguments, if the person changed some. */
  readonly args?: Readonly<Record<string, unknown>>;
};

export async function sendVerdict(
  workflowId: string,
  inputId: string,
  { approved, ...rest }: Verdict,
): Promise<void> {
  const path = inputPath(workflowId, inputId);
  if (approved) await call(`${path}/approve`, rest);
  else await call(`${path}/reject`, { ...rest, reason: 'Not approved.' });
}

export function inputPath(workflowId: string, inputId: string): string {
  return `/runs/${encodeURIComponent(workflowId)}/inputs/${encodeURIComponent(inputId)}`;
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
