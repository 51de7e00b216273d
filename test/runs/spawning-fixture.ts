import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { State } from '../../src/steering/state/state.ts';
import {
  at,
  type Like,
  type RunsFixture,
  type SavedForge,
  saveForge,
  startRunsFixture,
} from './runs-fixture.ts';

/** A run #2 on issue #1 that somebody has interrupted; Bob was heard in it. */
export function saveInterruptedRun(): Promise<SavedForge> {
  return saveForge(async ({ ada, says }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', 1, '/run');
    await says('bob', 2, '/steer and the calendar');
    await says('ada', 2, '/interrupt It is too much at once.');
  });
}

/** Each test of a file gets a fixture of its own on that run, when people may decide about it. */
export function onInterruptedRun(use: (fixture: RunsFixture) => void, like: Like = {}): void {
  let saved: SavedForge;
  let fixture: RunsFixture;
  beforeAll(async () => {
    saved = await saveInterruptedRun();
  });
  afterAll(() => saved.remove());
  beforeEach(async () => {
    fixture = await startRunsFixture(saved, undefined, like);
    fixture.wait(10);
    use(fixture);
  });
  afterEach(() => fixture.end());
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
