/**
 * Shell text that becomes the command given as its arguments and takes it down when the process that started the shell is gone,
 * however that ended: a handler in that process would not run when it is killed. The command keeps the shell's process id.
 */
export const watchedCommand = `parent=$PPID
(
  while kill -0 "$parent" && kill -0 $$; do sleep 1; done
  kill $$ && sleep 2 && kill -9 $$
) </dev/null >/dev/null 2>&1 &
exec "$@"`;

/** A word that a POSIX shell reads back as it is. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
