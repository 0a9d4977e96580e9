import { fileCount, type Excerpt, type Listing, type Search } from './tool-results.mts';

export type Findings = {
  readonly part: string;
  readonly listing: Listing;
  readonly search: Search;
  readonly searched: string;
  readonly read: readonly Excerpt[];
};

const mostHeadings = 6;

/** What was found out about a folder. */
export function aboutFolder({ part, listing, search, searched, read }: Findings): string {
  const [first] = search.matches;
  const files = read.map(
    ({ path, lineCount, lines }) => `- \`${path}\` (${lineCount} lines): “${opening(lines)}”`,
  );
  const found =
    first &&
    `\`${searched.trim()}\` stands in ${search.title}, first in line ${first.line} of \`${first.path}\`.`;
  return [
    `**${part}** holds ${fileCount(listing)} files. I read ${read.length} of them:`,
    files.join('\n'),
    ...(found === undefined ? [] : [found]),
  ].join('\n\n');
}

export function aboutFile({ path, lineCount, lines }: Excerpt): string {
  const headings = lines.filter((line) => /^(?:#+ |export )/.test(line)).slice(0, mostHeadings);
  return [
    `**${path}** (${lineCount} lines) begins: “${opening(lines)}”`,
    ...(headings.length === 0 ? [] : [headings.map((line) => `- \`${line}\``).join('\n')]),
  ].join('\n\n');
}

/** The first heading or comment, else the first line. */
function opening(lines: readonly string[]): string {
  const trimmed = lines.map((line) => line.trim());
  const marked = trimmed.find((line) => /^(?:#+ |\/\/ |\/\*\* |\* )\S/.test(line));
  const line = marked ?? trimmed.find(Boolean) ?? '';
  return line.replace(/^(?:#+|\/\/|\/?\*+)\s*|\s*\*\/$/g, '').slice(0, 100);
}
