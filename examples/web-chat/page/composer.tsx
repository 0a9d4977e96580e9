import { useState } from 'react';

const hints = [
  'I must go to Berlin on Monday.',
  'Book a hotel in Berlin for 4 nights.',
  'Tell me about Berlin.',
];

type ComposerProps = {
  /** Nobody has said anything yet. */
  readonly isFirst: boolean;
  readonly send: (text: string) => void;
  /** Absent if nothing works or waits. */
  readonly stop: (() => void) | undefined;
};

export function Composer({ isFirst, send, stop }: ComposerProps) {
  const [text, setText] = useState('');
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') send(text);
        setText('');
      }}
    >
      {isFirst && (
        <div className="hints">
          {hints.map((hint) => (
            <button type="button" key={hint} onClick={() => send(hint)}>
              {hint}
            </button>
          ))}
        </div>
      )}
      <input
        aria-label="Message"
        placeholder="Where to?"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {stop && (
        <button type="button" className="reject" onClick={stop}>
          Stop
        </button>
      )}
      <button className="approve">Send</button>
    </form>
  );
}
