import { getToolName, isToolUIPart, type UIMessage } from 'ai';
import { json, type Values, ValueView, words } from './fields';

type Part = UIMessage['parts'][number];
type ToolPart = Extract<Part, { readonly toolCallId: string }>;

type MessageProps = {
  readonly message: UIMessage;
  /** What waits stands below the messages, as cards. */
  readonly isOpen: boolean;
  /** The status of the turn, once it has ended. */
  readonly ending: string | undefined;
};

const endings: Readonly<Record<string, string>> = {
  cancelled: 'Stopped.',
  failed: 'This did not work.',
};

export function MessageView({ message, isOpen, ending = '' }: MessageProps) {
  const isAgent = message.role === 'assistant';
  return (
    <article className={message.role} aria-label={isAgent ? 'Agent' : 'You'}>
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} isOpen={isOpen} />
      ))}
      {isAgent && endings[ending] && <p className="ending">{endings[ending]}</p>}
    </article>
  );
}

/** What a person said while the agent worked. */
export function Said({ text, note }: { readonly text: string; readonly note?: string }) {
  return (
    <div className="user" role="group" aria-label="You">
      <p>{text}</p>
      {note && <small>{note}</small>}
    </div>
  );
}

function PartView({ part, isOpen }: { readonly part: Part; readonly isOpen: boolean }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'reasoning') return <p className="reasoning">{part.text}</p>;
  if (part.type === 'steering-message')
    return part.parts.map((said, index) =>
      said.type === 'text' ? <Said key={index} text={said.text} /> : null,
    );
  if (!isToolUIPart(part) || (isOpen && isWaiting(part))) return null;
  return <ToolView part={part} />;
}

export function isWaiting({ state }: ToolPart): boolean {
  return state === 'approval-requested' || state === 'input-available';
}

const labels: Readonly<Record<ToolPart['state'], string>> = {
  'input-streaming': 'is being written',
  'input-available': 'runs',
  'approval-requested': 'needs approval',
  'approval-responded': 'was decided',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'rejected',
};

function ToolView({ part }: { readonly part: ToolPart }) {
  const name = getToolName(part);
  const { state, input } = part;
  const question = questionIn(input);
  const title = question ?? words(name);
  return (
    <section className="tool" data-tool={name} data-state={state} aria-label={title}>
      <header>
        {title} {question === undefined && <small>{labels[state]}</small>}
      </header>
      {question === undefined && <ArgumentsView part={part} />}
      {state === 'output-available' && (
        <div className="output">
          <ValueView value={part.output} />
        </div>
      )}
      {state === 'output-error' && <p className="error">{part.errorText}</p>}
      {state === 'output-denied' && <p className="error">{part.approval.reason}</p>}
    </section>
  );
}

/** What a person changed before the call ran stands beside what the agent wanted. */
function ArgumentsView({ part }: { readonly part: ToolPart }) {
  const args = (part.input ?? {}) as Values;
  const before = wantedIn(part);
  if (before === undefined) return <ValueView value={args} />;
  return (
    <dl>
      {Object.entries(args).map(([name, value]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>
            {json(before[name]) !== json(value) && (
              <>
                <del aria-label="The agent wanted">
                  <ValueView value={before[name]} />
                </del>{' '}
              </>
            )}
            <ValueView value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The arguments of the agent, if a person changed them. */
function wantedIn(part: ToolPart): Values | undefined {
  const metadata = 'callProviderMetadata' in part ? part.callProviderMetadata : undefined;
  return metadata?.['longhaul']?.['args'] as Values | undefined;
}

/** What `ask_user` and questions of runs below have in common. */
function questionIn(input: unknown): string | undefined {
  return (input as { readonly question?: string } | undefined)?.question;
}
