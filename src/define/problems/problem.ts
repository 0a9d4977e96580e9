import { formatProblem, type Problem } from '../../base';
import { LonghaulError } from '../../protocol';

const mostShown = 20;

/** One `SpecError` for everything that is wrong with a definition. */
export function specError(subject: string, problems: readonly Problem[]): LonghaulError {
  const shown = problems.slice(0, mostShown);
  const lines = shown.map(formatProblem);
  const left = problems.length - shown.length;
  if (left > 0) lines.push(`… and ${left} more`);
  const message =
    lines.length === 1
      ? `${subject}: ${lines.join('')}`
      : `${subject} has ${problems.length} problems:\n${lines.map((line) => `- ${line}`).join('\n')}`;
  return new LonghaulError('SpecError', message, { details: { problems: shown } });
}
