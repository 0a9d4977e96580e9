// The formats of texts that forms know. Each expression reads a text once. Any other format is a hint. Pure.

const day = /^\d{4}-\d\d-\d\d$/;
const clock =
  /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

const formats: { readonly [name: string]: (text: string) => boolean } = {
  date: isDate,
  time: (text) => clock.test(text),
  'date-time': (text) =>
    /[tT ]/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && clock.test(text.slice(11)),
  email: (text) => /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:[^\s]+$/i.test(text),
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
};

/** True for a format that is not known here. */
export function hasFormat(name: string, text: string): boolean {
  return Object.hasOwn(formats, name) ? (formats[name]?.(text) ?? true) : true;
}

/** A day that the calendar has. */
function isDate(text: string): boolean {
  if (!day.test(text)) return false;
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return date >= 1 && date <= days;
}
