import { at, type RunsFixture, type SavedForge, saveForge } from '../runs/runs-fixture.ts';
import { twoTasks } from '../runs/spawning-fixture.ts';
import type { Scene } from './play-scene.ts';

/** Run #3 is on issue #1, which run #4 on issue #2 waits for. */

/** What has happened before a scene, by the name of the forge where it is saved. */
const before: Readonly<Record<string, (fixture: RunsFixture) => Promise<unknown>>> = {
  interrupted: ({ says }) => says('ada', 3, '/interrupt It is too much at once.'),
  approved: ({ says }) => says('mia', 3, '/approve'),
  'half merged': async (fixture) => {
    await fixture.says('ada', 3, '/interrupt It is too much at once.');
    fixture.wait(10);
    await fixture.says('ada', 3, twoTasks);
    await fixture.says('mia', 5, '/approve');
    await merges(fixture, 5);
    fixture.wait(10);
    await fixture.says('mia', 6, '/approve');
  },
};

export const scenes: readonly Scene[] = [
  {
    name: 'replaced',
    from: 'interrupted',
    act: (fixture) => fixture.says('ada', 3, twoTasks),
    ends: { 3: 'abandoned', 4: 'blocked', 5: 'awaiting_approval', 6: 'blocked' },
  },
  {
    name: 'given up',
    from: 'interrupted',
    act: (fixture) => fixture.says('ada', 3, '/abandon The clock is gone.'),
    ends: { 3: 'abandoned', 4: 'blocked' },
  },
  {
    name: 'merged',
    from: 'approved',
    act: (fixture) => merges(fixture, 3),
    ends: { 3: 'done', 4: 'awaiting_approval' },
  },
  {
    name: 'the last one merged',
    from: 'half merged',
    act: (fixture) => merges(fixture, 6),
    ends: { 3: 'abandoned', 4: 'awaiting_approval', 5: 'done', 6: 'done' },
  },
];

/** The forge with which a scene begins. */
export function saveForgeFor({ from }: Scene): Promise<SavedForge> {
  return saveForge(async (fixture) => {
    const { ada, labels } = fixture;
    await ada.rest.issues.create({ ...at, title: 'First', body: 'It comes first.' });
    await ada.rest.issues.create({ ...at, title: 'Second', body: 'It builds on that.\n\nDepends on #1.' });
    await labels('ada', 1);
    await labels('ada', 2);
    await before[from]?.(fixture);
  });
}

async function merges(fixture: RunsFixture, pull_number: number): Promise<void> {
  await fixture.bob.rest.pulls.merge({ ...at, pull_number });
  await fixture.sweep();
}
