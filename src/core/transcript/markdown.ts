// Text of models, tools and people where Markdown is rendered: it is shown, never read. It makes no heading, list, picture or link, and
// so can neither look like ours nor have a browser fetch what it names. Pure.

import { clipText, oneLine } from '../../base/text';

/** Marks that mean something anywhere in a line. */
const inline = /[\\`*_[\]<>|~&]/g;
/** Marks that mean something where a line begins. */
const atStart = /^([ \t]*)(?:([#+=-])|(\d{1,9})([.)]))/gm;
/** What renderers make links of by themselves: a space without width stands in it then. */
const links = /\b(?:https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)|@(?=\S)/gi;
/** Characters that move a cursor, or let text read in another order than it is written. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function plainMarkdown(text: string): string {
  return text
    .replace(controls, '')
    .replace(inline, '\\$&')
    .replace(atStart, '$1$3\\$2$4')
    .replace(links, '$&\u200b');
}

/** One line of it, of at most `maxBytes`: a summary. */
export function plainLine(text: string, maxBytes: number): string {
  return clipText(plainMarkdown(oneLine(text, maxBytes)), maxBytes);
}

/** As code, which nobody reads as Markdown. */
export function codeMarkdown(text: string): string {
  return `\`${text.replace(controls, '').replaceAll('`', "'")}\``;
}
