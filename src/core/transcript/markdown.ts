// Escapes text of models, tools and people where Markdown is rendered. It can make no heading, list, picture or link, so it cannot look
// like ours, and no browser fetches an address in it. Pure.

import { clipText, oneLine } from '../../base/text';

/** Marks that mean something anywhere in a line. */
const inline = /[\\`*_[\]<>|~&]/g;
/** Marks that mean something where a line begins. */
const atStart = /^([ \t]*)(?:([#+=-])|(\d{1,9})([.)]))/gm;
/** Texts that renderers turn into links. A space without width inside prevents that. */
const links = /\b(?:https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)|@(?=\S)/gi;
/** Characters that move a cursor or change the order in which text is shown. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function plainMarkdown(text: string): string {
  return text
    .replace(controls, '')
    .replace(inline, '\\$&')
    .replace(atStart, '$1$3\\$2$4')
    .replace(links, '$&\u200b');
}

/** One line of at most `maxBytes`, for a summary. */
export function plainLine(text: string, maxBytes: number): string {
  return clipText(plainMarkdown(oneLine(text, maxBytes)), maxBytes);
}

/** As inline code, which is not read as Markdown. */
export function codeMarkdown(text: string): string {
  return `\`${text.replace(controls, '').replaceAll('`', "'")}\``;
}
