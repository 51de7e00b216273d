import { expect } from 'vitest';
import { ActionsFixture } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

export interface WaitingRuns {
  readonly fixture: ActionsFixture;
  /** The number of a run that waits for a human and that no other test uses. */
  next(): number;
}

/** Starts a run for each title, all at once: every job is a separate process with Git, an agent and verifiers. */
export async function startWaitingRuns(titles: readonly string[]): Promise<WaitingRuns> {
  const fixture = await ActionsFixture.start({ files: succeedingAgent });
  try {
    for (const title of titles) await fixture.labeledIssue(title);
    const started = await fixture.finishedJobs();
    const numbers = started.map(({ outputs }) => Number(outputs['pull-request']));
    expect(new Set(numbers).size).toBe(titles.length);
    fixture.advanceClock({ seconds: 10 });
    const next = () => {
      const number = numbers.pop();
      if (number === undefined) throw new Error('there are fewer runs than tests');
      return number;
    };
    return { fixture, next };
  } catch (fault) {
    await fixture.end();
    throw fault;
  }
}
