/*
 * Measures the prompt of a run from its log, event by event, and estimates its tokens. It knows no limits. Pure.
 *
 * P1. It counts what `prompt-view.ts` shows: a cut turn counts nothing, a cleared result counts its note.
 * P2. The estimate starts from the provider's last report. Only what the prompt gained or lost since then is guessed, from its bytes.
 * P3. Its state follows from the log alone, so a restored run plans as the run before it.
 */
import { utf8Length } from '../../base';
import type { Clearing, Decision, LogEvent, ModelTurnEvent } from '../../protocol/log';
import type { MediaSource, Stored, ToolResult, Usage } from '../../protocol/message';
import { clearedNote, clears, resultBytes } from '../transcript/prompt-view';

/** Tokens for each byte: the value without a report of a provider, and the bounds for reports. */
const ratios = { usual: 0.3, least: 0.125, most: 0.5 };
/** Names, ids and signs around the content of a part. */
const framing = 60;
/** A picture takes about 1,500 tokens, for any number of bytes. A PDF takes as many for each page. */
const pictureBytes = 5_000;
const documentShare = 1 / 6;

type MeteredTurn = {
  /** The bytes of the turn, and of what led to it after the first message. */
  said: number;
  results: { readonly result: ToolResult; readonly bytes: number; shown: number }[];
  /** The provider paused: nothing may come between this turn and the next one. */
  goesOn: boolean;
};

export class PromptMeter {
  readonly #turns: MeteredTurn[] = [];
  /** The first message of the user, and the last one with the turn that it led to. */
  #first: number | undefined;
  #last = { bytes: 0, turn: 0 };
  /** The bytes of the messages since the last turn. */
  #lead = 0;
  #summary: { readonly through: number; readonly bytes: number } | undefined;
  #bytes = 0;
  #report: { readonly tokens: number; readonly bytes: number } | undefined;
  #read = 0;

  /** Reads the entries that it has not read yet. The log only grows. */
  read(entries: readonly LogEvent[]): void {
    for (const entry of entries.slice(this.#read)) this.#apply(entry);
    this.#read = entries.length;
  }

  get turns(): number {
    return this.#turns.length;
  }

  /** The turns that the last summary stands for. Undefined without a summary. */
  get through(): number | undefined {
    return this.#summary?.through;
  }

  /** The bytes of the prompt, without instructions and tools. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Tokens per byte, from the last report of the provider. */
  get ratio(): number {
    if (this.#report === undefined) return ratios.usual;
    const { tokens, bytes } = this.#report;
    return Math.min(ratios.most, Math.max(ratios.least, tokens / Math.max(1, bytes)));
  }

  /** The tokens of a prompt of so many bytes, with instructions and tools if a provider has reported. */
  tokensOf(bytes: number): number {
    const { tokens, bytes: reported } = this.#report ?? { tokens: 0, bytes: 0 };
    return Math.max(bytes * ratios.least, tokens + (bytes - reported) * this.ratio);
  }

  /** The bytes that the clearing takes from the prompt, in turns after `after`. */
  gainOfClearing(clearing: Clearing, after = this.#summary?.through ?? 0): number {
    const turns = this.#turns.slice(after, clearing.through);
    return sum(
      turns.flatMap(({ results }) =>
        results.map(({ result, bytes, shown }) =>
          clears(clearing, result, bytes) ? shown - noteBytes(result, bytes) : 0,
        ),
      ),
    );
  }

  /** The bytes of the turns up to `through` in the prompt, with the summary before them. */
  gainOfSummary(through: number): number {
    const before = this.#summary?.bytes ?? 0;
    return before + sum(this.#turns.slice(this.#summary?.through ?? 0, through).map(bytesOfTurn));
  }

  /** False if the next turn goes on where this one paused. */
  isBoundary(turn: number): boolean {
    return this.#turns[turn - 1]?.goesOn !== true;
  }

  #apply(event: LogEvent): void {
    switch (event.kind) {
      case 'user':
        return this.#hear(partsBytes(event.message.parts), true);
      case 'model-turn':
        return this.#take(event);
      case 'tool-result':
        return this.#addResult(event.result);
      case 'summary':
        this.#summary = { through: event.through, bytes: utf8Length(event.text) + framing };
        return this.#measure();
      case 'decision':
        return this.#decide(event.decision);
    }
  }

  #hear(bytes: number, isOfUser: boolean): void {
    this.#bytes += bytes;
    if (isOfUser && this.#first === undefined) this.#first = bytes;
    else this.#lead += bytes;
    if (isOfUser) this.#last = { bytes, turn: this.turns + 1 };
  }

  #take({ content, usage }: ModelTurnEvent): void {
    const bytes = partsBytes(content);
    this.#turns.push({ said: this.#lead + bytes, results: [], goesOn: false });
    this.#lead = 0;
    this.#bytes += bytes;
    const tokens = reportedTokens(usage);
    if (tokens !== undefined) this.#report = { tokens, bytes: this.#bytes };
  }

  #addResult(result: ToolResult): void {
    const bytes = resultBytes(result);
    const shown = promptBytes(result, bytes);
    this.#turns.at(-1)?.results.push({ result, bytes, shown });
    this.#bytes += shown + framing;
  }

  #decide(decision: Decision): void {
    switch (decision.kind) {
      case 'feedback':
        return this.#hear(utf8Length(decision.text) + framing, false);
      case 'history':
        return this.#hear(sum(decision.messages.map(({ parts }) => partsBytes(parts))), false);
      case 'answer-calls':
        return this.#add(sum(decision.answers.map(({ text }) => utf8Length(text) + framing)));
      case 'edit-call':
        return this.#add(utf8Length(JSON.stringify(decision.args)));
      case 'go-on':
        return this.#markPause();
      case 'clear-results':
        return this.#clear(decision);
      default:
        return;
    }
  }

  #add(bytes: number): void {
    const turn = this.#turns.at(-1);
    if (turn === undefined) return;
    turn.said += bytes;
    this.#bytes += bytes;
  }

  #markPause(): void {
    const turn = this.#turns.at(-1);
    if (turn !== undefined) turn.goesOn = true;
  }

  #clear(clearing: Clearing): void {
    for (const { results } of this.#turns.slice(0, clearing.through)) {
      for (const each of results) {
        if (clears(clearing, each.result, each.bytes))
          each.shown = noteBytes(each.result, each.bytes);
      }
    }
    this.#measure();
  }

  #measure(): void {
    const { through, bytes } = this.#summary ?? { through: 0, bytes: 0 };
    const isLastCut = this.#last.turn <= through && this.#last.turn > 1;
    this.#bytes =
      (this.#first ?? 0) +
      bytes +
      (isLastCut ? this.#last.bytes : 0) +
      sum(this.#turns.slice(through).map(bytesOfTurn)) +
      this.#lead;
  }
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);

const bytesOfTurn = ({ said, results }: MeteredTurn): number =>
  said + sum(results.map(({ shown }) => shown + framing));

function noteBytes({ content }: ToolResult, bytes: number): number {
  return utf8Length(JSON.stringify(clearedNote(content, bytes)));
}

/** Undefined if the provider did not report its input, or reported nothing that can be true. */
function reportedTokens({ inputTokens, outputTokens, totalTokens }: Usage): number | undefined {
  const input = inputTokens ?? 0;
  const tokens = input > 0 ? input + (outputTokens ?? 0) : (totalTokens ?? 0);
  return tokens > 0 ? tokens : undefined;
}

type Part = {
  readonly type: string;
  readonly mediaType?: string;
  readonly source?: MediaSource;
  readonly stored?: Stored;
};

/** The worker puts the whole text of a stored part of the user into the request. */
function partsBytes(parts: readonly Part[]): number {
  return sum(
    parts.map(
      (part) =>
        mediaBytes(part) ??
        Math.max(part.stored?.bytes ?? 0, utf8Length(JSON.stringify(part))) + framing,
    ),
  );
}

/** The bytes of a result in a prompt. Media count by their tokens. A stored text counts by its head. */
function promptBytes(result: ToolResult, bytes: number): number {
  const media = result.content.filter(({ type }) => type === 'media');
  if (media.length === 0) return bytes;
  return bytes - resultBytes({ content: media }) + partsBytes(media);
}

/** The bytes of a text with as many tokens as the media. Undefined for other parts. */
function mediaBytes({ type, mediaType = '', source }: Part): number | undefined {
  if (type !== 'media') return undefined;
  if (!mediaType.startsWith('application/')) return pictureBytes;
  const bytes = source?.kind === 'base64' ? source.data.length * 0.75 : 0;
  const stored = source?.kind === 'stored' ? source.bytes : 0;
  return Math.max(pictureBytes, Math.ceil((bytes + stored) * documentShare));
}
