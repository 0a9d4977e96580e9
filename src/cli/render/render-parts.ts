import type {
  AssistantPart,
  Decision,
  LogEntry,
  Message,
  ModelTurnEvent,
  PendingInput,
  PersonNote,
  ToolCallPart,
  ToolContent,
  ToolResult,
  ToolResultEvent,
  Usage,
  UserEvent,
  UserInput,
  Verdict,
} from '../../protocol';
import { type Json, mediaLabel, shellQuote } from '../../base';
import { renderSchema } from './render-schema';
import { clipToWidth, padToWidth, printable, printableLine, type Style } from './text';
import { renderPeople } from './render-people';
import type { RunEvent } from '../../client';
import { compactionsOf } from '../../core/transcript/compactions';

const labelWidth = 8;

/** `get_weather {"city":"Paris"}` */
export function callLine(call: ToolCallPart): string {
  return `${printableLine(call.name)} ${argumentLine(call)}`.trimEnd();
}

function argumentLine({ args, rawArgs = '' }: ToolCallPart): string {
  return printableLine(args === null ? rawArgs : compactJson(args));
}

export function resultLine(result: ToolResult): string {
  return printableLine(`${result.name} ${result.content.map(compactContent).join(' ')}`);
}

/** A result in full: texts unchanged, JSON indented. */
export function resultText({ content }: ToolResult): string {
  const texts = content.map((part) =>
    part.type === 'json' ? JSON.stringify(part.value, null, 2) : compactContent(part),
  );
  return printable(texts.join('\n'));
}

/** The text of a message, without calls, results and reasoning. */
export function messageText(parts: Message['parts'] | readonly AssistantPart[]): string {
  return printable(parts.map(partText).filter(Boolean).join('\n'));
}

/** The text of a person's message. */
export function userText(user: UserInput): string {
  if (typeof user === 'string') return printable(user);
  const texts = user.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`));
  return printable(texts.join(' '));
}

/** `15 tokens`; undefined if the provider reported none. */
export function tokensText({ totalTokens, inputTokens, outputTokens }: Usage): string | undefined {
  const count =
    totalTokens ??
    (inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens);
  return count === null ? undefined : `${count} tokens`;
}

/** Joins the parts of a line that are not empty. */
export function joinParts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

function partText(part: Message['parts'][number]): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'media':
      return mediaLabel(part.mediaType, part.source);
    case 'reasoning':
    case 'opaque':
    case 'tool_call':
    case 'tool_result':
      return '';
  }
}

function compactContent(content: ToolContent): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'json':
      return compactJson(content.value);
    case 'media':
      return mediaLabel(content.mediaType, content.source);
  }
}

function compactJson(value: Json): string {
  return JSON.stringify(value);
}

/** A pending input. In the memo it has no options and no call. */
type OpenInput = Omit<PendingInput, 'options' | 'call'> & Pick<PendingInput, 'options' | 'call'>;

/** A shell command that runs this CLI again, on the same server. `npx` finds it wherever it is installed. */
export type CommandLine = (words: readonly string[]) => string;

/** The options of a command that name the server, and the agents that the command serves meanwhile. */
type ConnectionWords = Readonly<
  Partial<Record<'address' | 'namespace' | 'profile' | 'agents' | 'tools', string>>
> &
  Readonly<Partial<Record<'file' | 'overlay', readonly string[]>>>;

export function commandLine(connection: ConnectionWords): CommandLine {
  const names = ['address', 'namespace', 'profile', 'agents', 'file', 'tools', 'overlay'] as const;
  const flags = names.flatMap((name) =>
    [connection[name] ?? []]
      .flat()
      .flatMap((value) => [name === 'file' ? '-f' : `--${name}`, value]),
  );
  return (words) => ['npx', 'longhaul', ...words, ...flags].map(shellWord).join(' ');
}

const verbs: { readonly [kind in OpenInput['kind']]?: string } = {
  approval: 'asks for approval',
  tool: 'waits for a result',
};

/** An input's question, such as `planner asks: Which city?`, and its numbered options. */
export function renderQuestion(input: OpenInput, style: Style): readonly string[] {
  const asker = printableLine(input.path || input.agentId);
  const options = (input.options ?? []).map(
    (option, index) => `  ${index + 1}. ${printableLine(option)}`,
  );
  const call = unsaidCall(input).map((line) => `  ${line}`);
  const { schema, preview, question } = input;
  const isPreviewed = preview !== undefined && question.endsWith(preview);
  const people = renderPeople(isPreviewed ? { ...input, preview: undefined } : input);
  // A person who approves a call sees its arguments, and seldom changes them.
  const shape = schema === undefined || input.kind === 'approval' ? [] : renderSchema(schema);
  const verb = verbs[input.kind] ?? 'asks';
  const asked = `${style.bold(`${asker} ${verb}:`)} ${printable(question)}`;
  return [asked, ...call, ...people, ...options, ...shape];
}

/** The call that waits, if the question does not have all of it. */
export function unsaidCall({
  kind,
  question,
  call,
}: Pick<OpenInput, 'kind' | 'question' | 'call'>): readonly string[] {
  if (call === undefined || (kind !== 'approval' && kind !== 'tool')) return [];
  return printableLine(question).endsWith(` ${argumentLine(call)}`) ? [] : [callLine(call)];
}

/** The shell commands that answer the open inputs. */
export function renderAnswerCommands(
  workflowId: string,
  pending: readonly OpenInput[],
  command: CommandLine,
): readonly string[] {
  const isNamed = pending.length > 1;
  return renderHints(
    pending.flatMap((input) => answerHints(input, { workflowId, command, isNamed })),
  );
}

type Answering = {
  readonly workflowId: string;
  readonly command: CommandLine;
  /** Whether an answer must name its question. */
  readonly isNamed: boolean;
};

export function answerHints(
  { inputId, kind, by }: Pick<OpenInput, 'inputId' | 'kind' | 'by'>,
  { workflowId, command, isNamed }: Answering,
): readonly Hint[] {
  const hint = (verb: string, ...words: readonly string[]): Hint => [
    verb,
    command(['answer', workflowId, ...words]),
  ];
  const which = isNamed ? ['--input-id', inputId] : [];
  const as = by ? ['--as', by.ids?.[0] ?? ['you', ...(by.roles?.slice(0, 1) ?? [])].join(':')] : [];
  switch (kind) {
    case 'approval':
      return [
        hint('approve', '--approve', inputId, ...as),
        hint('refuse', '--reject', inputId, 'the reason', ...as),
      ];
    case 'tool':
      return [
        hint('complete', '--complete', inputId, '{"the": "result"}'),
        hint('fail', '--fail', inputId, 'the reason'),
      ];
    case 'budget':
      return [hint('add', 'amount to add, or stop', ...which)];
    case 'question':
      return [hint('answer', 'your answer', ...which)];
  }
}

/** What to do, and the command that does it. */
type Hint = readonly [verb: string, command: string];

/** The commands begin in one column. */
export function renderHints(hints: readonly Hint[]): readonly string[] {
  const longest = Math.max(...hints.map(([verb]) => verb.length));
  return hints.map(([verb, command]) => `${`${verb} with:`.padEnd(longest + 6)} ${command}`);
}

/** People copy the command and run what they see. So it leaves out characters that cannot be shown: then it finds no run. */
export function shellWord(given: string): string {
  const word = printableLine(given);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}

type EventRendererOptions = {
  readonly style: Style;
  readonly width: number;
  /** The number of model turns before the first event. */
  readonly turn?: number;
};

export type ProgressLine = {
  readonly label: string;
  readonly text: string;
  readonly look?: 'red' | 'cyan' | 'yellow' | 'dim';
};

export function renderProgress(
  { label, text, look }: ProgressLine,
  head: string,
  { style, width }: Pick<EventRendererOptions, 'style' | 'width'>,
): string {
  const start = `${head}${padToWidth(label, labelWidth)}`;
  const body = clipToWidth(text, Math.max(20, width - start.length));
  return `${style.dim(start)}${look === undefined ? body : style[look](body)}`;
}

/** Lines of progress for the events of one run, in order. It does not repeat the prompt. */
export function createEventRenderer({
  style,
  width,
  turn = 0,
}: EventRendererOptions): (event: RunEvent) => string[] {
  let currentTurn = turn;
  const seen: LogEntry[] = [];
  return (event) => {
    seen.push(event.entry);
    if (event.entry.kind === 'model-turn') currentTurn += 1;
    const head = padToWidth(currentTurn === 0 ? '' : `#${currentTurn}`, 4);
    const lines = compactionLine(event, seen) ?? linesOf(event);
    return lines.map((line) => renderProgress(line, head, { style, width }));
  };
}

/** What a compaction left out. Undefined for other entries, and if the log was not followed from its first entry. */
function compactionLine(
  { index, entry }: RunEvent,
  seen: readonly LogEntry[],
): readonly ProgressLine[] | undefined {
  const isClearing = entry.kind === 'decision' && entry.decision.kind === 'clear-results';
  if ((entry.kind !== 'summary' && !isClearing) || seen.length !== index + 1) return undefined;
  const text = compactionsOf(seen).at(-1)?.text ?? '';
  return [{ label: 'context', text: printableLine(text), look: 'dim' }];
}

function linesOf({ index, entry }: RunEvent): readonly ProgressLine[] {
  switch (entry.kind) {
    case 'user':
      if (index === 0) return [];
      return [{ label: 'you', text: printableLine(saidBy(entry)) }];
    case 'model-turn':
      return turnLines(entry);
    case 'tool-result':
      return [...upgradeLines(entry), resultProgress(entry.result)];
    case 'decision':
      return decisionLines(entry.decision);
    case 'summary':
      return [{ label: 'summary', text: printableLine(entry.text), look: 'dim' }];
  }
}

function upgradeLines({ upgraded }: ToolResultEvent): readonly ProgressLine[] {
  return upgraded === undefined ? [] : [{ label: 'upgrade', text: printableLine(upgraded) }];
}

/** Names the sender of a message that came while the run worked. */
function saidBy({ message, by }: UserEvent): string {
  const text = messageText(message.parts);
  return by === undefined ? text : `(${by.name ?? by.id}) ${text}`;
}

export function resultProgress(result: ToolResult): ProgressLine {
  const text = resultLine(result);
  return result.isError ? { label: 'error', text, look: 'red' } : { label: 'result', text };
}

function turnLines({ content, usage, finishReason }: ModelTurnEvent): readonly ProgressLine[] {
  const cut = finishReason === 'length' ? 'cut at the output limit' : undefined;
  return turnProgress(content, (text) =>
    joinParts([text === '' ? 'no text' : 'text', cut, tokensText(usage)]),
  );
}

/** A model's turn: its text and calls. `summary`: the line for a turn without calls, of its text. */
export function turnProgress(
  content: readonly AssistantPart[],
  summary: (text: string) => string,
): readonly ProgressLine[] {
  const calls = content.filter((part) => part.type === 'tool_call');
  const text = printableLine(messageText(content));
  if (calls.length === 0) return [{ label: 'model', text: summary(text), look: 'dim' }];
  const said: readonly ProgressLine[] = text === '' ? [] : [{ label: 'model', text }];
  return [
    ...said,
    ...calls.map((call) => ({ label: 'call', text: callLine(call), look: 'cyan' }) as const),
  ];
}

function decisionLines(decision: Decision): readonly ProgressLine[] {
  const note = (text: string): readonly ProgressLine[] => [
    { label: 'note', text: printableLine(text), look: 'yellow' },
  ];
  switch (decision.kind) {
    case 'history':
      return [];
    case 'repair-call':
      return note(`call ${decision.index + 1} is taken as ${decision.name}`);
    case 'ignore-call':
      return note(`call ${decision.index + 1} is left out`);
    case 'answer-calls':
      return decision.answers.flatMap(({ text }) => note(text));
    case 'edit-call':
      return note(`a person changed the arguments to ${JSON.stringify(decision.args)}`);
    case 'replace-turn':
      return note(`the response became: ${decision.text}`);
    case 'feedback':
      return note(decision.text);
    case 'go-on':
      return note('the provider paused; the model goes on');
    case 'clear-results':
      return note(`long results up to turn ${decision.through} are left out of later prompts`);
    default:
      return note(personLine(decision));
  }
}

function personLine(said: PersonNote): string {
  switch (said.kind) {
    case 'verdict':
      return `${said.inputId}: ${said.verdict}${remarkText(said)}`;
    case 'preview':
      return `a person was shown: ${said.text}`;
    case 'migration':
      return `moved from definition ${said.from} to ${said.to}${remarkText(said)}`;
  }
}

function remarkText({ by, note }: Pick<Verdict, 'by' | 'note'>): string {
  const who = by === undefined ? '' : ` by ${by.name ?? by.id}`;
  return `${who}${note === undefined ? '' : ` (${note})`}`;
}
