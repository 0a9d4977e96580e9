// Escapes text of models, tools and people for places that render Markdown. The text cannot make a heading, list, picture or link. So it
// cannot look like Longhaul's own text, and no browser fetches an address in it. Pure.

import { clipText, oneLine } from '../../base';

/** Marks that mean something anywhere in a line. */
const inline = /[\\`*_[\]<>|~&]/g;
/** Marks that mean something at the start of a line. */
const atStart = /^([ \t]*)(?:([#+=-])|(\d{1,9})([.)]))/gm;
/** Texts that renderers turn into links. A zero-width space inside prevents that. */
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

/** Formats a text as inline code, which renderers do not read as Markdown. */
export function codeMarkdown(text: string): string {
  return `\`${text.replace(controls, '').replaceAll('`', "'")}\``;
}
