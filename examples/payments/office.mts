import { LonghaulError, type Actor } from 'longhaul';
import type { PendingInput, RunHandle } from 'longhaul/client';
import type { PauseNotice } from 'longhaul/worker';
import type { Screen } from '../shared/screen.mts';
import { ada, cleo, mia } from './people.mts';

/** What the people of this story do with their mail. */
export class Office {
  readonly #run: RunHandle;
  readonly #screen: Screen;

  constructor(run: RunHandle, screen: Screen) {
    this.#run = run;
    this.#screen = screen;
  }

  async read({ reason, input }: PauseNotice): Promise<void> {
    this.#screen.line('mail', `${subjects[reason]}: ${input.preview ?? input.question}`, 'yellow');
    if (input.call?.name === 'pick_cost_centre') return await this.#pick(input);
    if (input.kind !== 'approval') return;
    if (reason === 'escalated') return await this.#approve(cleo, input);
    // Nobody answers the reminder.
    if (reason === 'asked') await this.#review(input);
  }

  async #pick({ inputId }: PendingInput): Promise<void> {
    // The schema of the result refuses this, and the run goes on waiting.
    await this.#try(mia, async () => {
      await this.#run.complete(inputId, { costCentre: 'travel' }, { by: mia });
    });
    await this.#run.complete(inputId, { costCentre: '4710' }, { by: mia });
    this.#says(mia, 'picks cost centre 4710');
  }

  /** Two people must approve. The one who asked is none of them. */
  async #review(input: PendingInput): Promise<void> {
    const { call, preview = '' } = input;
    const ordered = Number(/purchase order says (\d+)/.exec(preview)?.[1]);
    if (call?.args?.['euros'] === ordered) return;
    await this.#try(mia, () => this.#approve(mia, input));
    await this.#approve(ada, input, { ...call?.args, euros: ordered });
  }

  /** `seen` says what the person saw: if something else is open by now, the run refuses the approval. */
  async #approve(
    by: Actor,
    { inputId, digest: seen }: PendingInput,
    args?: PendingArguments,
  ): Promise<void> {
    const edit = args && { args, note: 'the amount of the purchase order' };
    const options = { by, ...(seen && { seen }), ...edit };
    const { missing } = await this.#run.approve(inputId, options);
    const change = args && `changes the call to ${JSON.stringify(args)}, so people are asked anew`;
    this.#says(by, change ?? `approves; ${missing} more must approve`);
  }

  async #try(by: Actor, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!LonghaulError.is(error)) throw error;
      this.#says(by, `is refused: ${error.code}: ${error.message}`);
    }
  }

  #says({ name = '' }: Actor, text: string): void {
    this.#screen.line('person', `${name} ${text}`, 'green');
  }
}

type PendingArguments = NonNullable<NonNullable<PendingInput['call']>['args']>;

const subjects: Readonly<Record<PauseNotice['reason'], string>> = {
  asked: 'New',
  reminder: 'Reminder',
  escalated: 'To the lead of finance',
};
