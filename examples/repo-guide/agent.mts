import { defineAgent, type Agent } from 'longhaul';
import { folderTools } from './tools.mts';

export type RepoGuideOptions = {
  /** The folder it answers questions about, and the only one it can read. */
  readonly folder: string;
  /** `'provider/model'`. */
  readonly model: string;
};

/** An agent that answers questions about a folder, and asks which part to look at before it reads. */
export function repoGuide({ folder, model }: RepoGuideOptions): Agent {
  return defineAgent({
    id: 'repo-guide',
    description: 'Answers questions about a folder of files',
    model,
    instructions: [
      'You explain a folder of files to somebody who is new to it.',
      'First list the folder and the largest folder in it. Then ask the user which part to look at: call ask_user with at most',
      'four options, each the path of a file or folder that you saw. Read what they chose: several files at once, in one turn.',
      'Answer in at most ten lines of Markdown. Name files by their paths, and say only what you have read.',
    ].join(' '),
    tools: folderTools(folder),
    askUser: 'tool',
    // A deadline also makes the wait a bar in the Web UI's timeline, with the question on it.
    inputTimeout: '7 days',
    maxIterations: 12,
    settings: { maxOutputTokens: 4_000 },
  });
}
