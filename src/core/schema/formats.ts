// The formats that a schema may ask for. Each expression reads a text once. Any other format is a hint. Pure.

import { isRegularExpression } from './pattern-parser';

const day = /^\d{4}-\d\d-\d\d$/;
const clock = /^(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d|23:59:60)(?:\.\d{1,9})?$/;
const answerClock =
  /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const zone = /(?:z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i;

const label = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';
const host = new RegExp(`^${label}(?:\\.${label})*\\.?$`, 'i');
const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);
const scheme = /^[a-z][a-z\d+.-]*:/i;

export type Formats = { readonly [name: string]: (text: string) => boolean };

/** The formats of arguments, results and outputs. */
export const toolFormats: Formats = {
  date: isDate,
  time: (text) => zone.test(text) && clock.test(text.replace(zone, '')),
  'date-time': (text) => isMoment(text) && zone.test(text.slice(11)),
  'iso-time': (text) => clock.test(text.replace(zone, '')),
  'iso-date-time': isMoment,
  duration: isDuration,
  email: isEmail,
  hostname: (text) => text.length <= 254 && host.test(text),
  ipv4: (text) => ipv4.test(text),
  ipv6: isIpv6,
  uri: (text) => scheme.test(text) && text.replace(scheme, '') !== '' && isReference(text),
  'uri-reference': isReference,
  url: (text) => /^(?:https?|ftp):\/\/[^/?#]/i.test(text) && isReference(text),
  uuid: (text) => /^(?:urn:uuid:)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  'json-pointer': (text) => /^(?:\/|$)/.test(text) && !/~(?![01])/.test(text),
  regex: isRegularExpression,
  byte: isBase64,
};

const numberFormats: { readonly [name: string]: (value: number) => boolean } = {
  int32: (value) => value === (value | 0),
  int64: Number.isInteger,
};

/** The formats of answers, as 0.2.0 checks them: a run that replays must refuse the same signals again. */
export const answerFormats: Formats = {
  date: isDate,
  time: (text) => answerClock.test(text),
  'date-time': (text) =>
    /[tT ]/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && answerClock.test(text.slice(11)),
  email: (text) => /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:[^\s]+$/i.test(text),
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
};

/** True for a format that is not known there. */
export function isOfFormat(formats: Formats, name: string, value: string | number): boolean {
  if (typeof value === 'number') return formats === answerFormats || isNumberOfFormat(name, value);
  return Object.hasOwn(formats, name) ? (formats[name]?.(value) ?? true) : true;
}

function isNumberOfFormat(name: string, value: number): boolean {
  return Object.hasOwn(numberFormats, name) ? (numberFormats[name]?.(value) ?? true) : true;
}

/** A day that the calendar has. */
function isDate(text: string): boolean {
  if (!day.test(text)) return false;
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return date >= 1 && date <= days;
}

function isMoment(text: string): boolean {
  const hasGap = /[tT ]/.test(text.charAt(10));
  return hasGap && isDate(text.slice(0, 10)) && clock.test(text.slice(11).replace(zone, ''));
}

function isDuration(text: string): boolean {
  if (/^P\d{1,15}W$/.test(text)) return true;
  const isShaped =
    /^P(?:\d{1,15}Y)?(?:\d{1,15}M)?(?:\d{1,15}D)?(?:T(?=\d)(?:\d{1,15}H)?(?:\d{1,15}M)?(?:\d{1,15}S)?)?$/.test(
      text,
    );
  return isShaped && text !== 'P';
}

/** Takes names of any script, and hosts without a dot. */
function isEmail(text: string): boolean {
  const [name = '', host = ''] = text.split('@', 2);
  const isLong = name.length > 64 || host.length > 255 || text.length > 320;
  if (isLong || !/^[^\s@.]+(?:\.[^\s@.]+)*@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text)) return false;
  return !/(?:^|\.)-|-(?:\.|$)/.test(host);
}

function isBase64(text: string): boolean {
  const digits = text.replace(/[\r\n]/g, '');
  return digits.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(digits);
}

/** Has no character that a URI must write as `%` and two digits. */
function isReference(text: string): boolean {
  return !/[\s\\<>"{}|^`]/.test(text) && !/%(?![\da-f]{2})/i.test(text);
}

/** Eight groups, of which `::` stands for one or more. The last two may be an IPv4 address. */
function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const isMixed = !text.endsWith('::') && ipv4.test(last);
  const plain = isMixed ? groups.slice(0, -1) : groups;
  const size = plain.length + (isMixed ? 2 : 0);
  const isFull = halves.length === 2 ? size < 8 : size === 8;
  return isFull && plain.every((group) => /^[\da-f]{1,4}$/i.test(group));
}
