import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { limits } from '../../protocol/limits';

/** Room for many agents: one alone may have 512 KiB with its tools. */
const mostFileBytes = 2 * limits.definition;

export type ReadText =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** The text of a file. No more is read than a file may have, whatever it is and becomes meanwhile. */
export function readText(path: string): ReadText {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > mostFileBytes) return tooLarge(size);
    const bytes = Buffer.alloc(mostFileBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, { offset: length });
    }
    return decodeText(bytes.subarray(0, length));
  } finally {
    closeSync(file);
  }
}

/** Of bytes: UTF-8, or UTF-16 where a byte order mark says so. */
function decodeText(bytes: Uint8Array): ReadText {
  if (bytes.length > mostFileBytes) return tooLarge(bytes.length);
  try {
    return checkText(new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, message: 'is not text in UTF-8: save it as UTF-8' };
  }
}

/** Text that was given as a string. */
export function checkText(text: string): ReadText {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostFileBytes) return tooLarge(bytes);
  if (text.includes('\0')) {
    return { ok: false, message: 'holds NUL characters: it is no text, or not in UTF-8' };
  }
  return { ok: true, text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function tooLarge(bytes: number): ReadText {
  const most = `${mostFileBytes / 1024} KiB`;
  return {
    ok: false,
    message: `has ${Math.ceil(bytes / 1024)} KiB; a file may have ${most}: split it`,
  };
}
