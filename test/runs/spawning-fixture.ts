import type { State } from '../../src/steering/state.ts';
import { at, type RunsFixture, type SavedForge, saveForge } from './runs-fixture.ts';

/** A run #2 on issue #1 that somebody has interrupted; Bob was heard in it. */
export function saveInterruptedRun(): Promise<SavedForge> {
  return saveForge(async ({ ada, says }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', 1, '/run');
    await says('bob', 2, '/steer and the calendar');
    await says('ada', 2, '/interrupt It is too much at once.');
  });
}

/** One task, two, and three of which the first in the list depends on the two others. */
export const oneTask = '/spawn Set the clock';
export const twoTasks = [
  '/spawn',
  '```coxswain',
  'name: parse',
  'description: Parse the time.',
  '---',
  'name: show',
  'description: Show the time.',
  'depends_on: [parse]',
  '```',
].join('\n');
export const threeTasks = [
  '/spawn',
  '```yaml coxswain',
  'name: show',
  'title: Show the clock',
  'description: Show the time.',
  'depends_on: [parse, "set"]',
  '---',
  'name: parse',
  'description: Parse the time.',
  'component: parser',
  '---',
  'name: set',
  'description: Set the clock.',
  'acceptance_criteria: [it is set]',
  'depends_on: [parse]',
  '```',
].join('\n');

/** The state of a run as its ledger has it. */
export async function stateOf(fixture: RunsFixture, number: number): Promise<State> {
  const snapshot = await fixture.run(number).run.readLedger();
  if (snapshot === undefined) throw new Error(`#${number} has no ledger`);
  return snapshot.state;
}

/** The pull requests, oldest first, each with whether it is open. */
export async function pullsOf({ ada }: RunsFixture): Promise<readonly string[]> {
  const { data } = await ada.rest.pulls.list({ ...at, state: 'all', per_page: 100 });
  return data
    .toSorted((one, other) => one.number - other.number)
    .map(({ number, title, state }) => `#${number} ${title}: ${state}`);
}
