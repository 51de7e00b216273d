import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { stateIn } from './blocked-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Runs of a repository that lets only so many be open at once. */
let saved: SavedForge;
let fixture: RunsFixture;

function configuration(limits: string): Readonly<Record<string, string>> {
  const agent = 'agent: { use: command, command: [sh, agent.sh] }';
  const verifiers = 'verifiers:\n  - { name: test, run: "true" }';
  return { '.github/coxswain.yml': `version: 1\n${agent}\n${verifiers}\n${limits}\n` };
}

const allow = (limits: string) =>
  fixture.pushes('ada', { from: 'main', files: configuration(limits) }).then(() => undefined);

/** Three issues are labeled at once, and one run may be open. */
beforeAll(async () => {
  saved = await saveForge(async ({ ada, labels, pushes }) => {
    await pushes('ada', { from: 'main', files: configuration('limits: { open_runs: 1 }') });
    for (const title of ['First', 'Second', 'Third'])
      await ada.rest.issues.create({ ...at, title, body: 'Do it.' });
    await Promise.all([labels('ada', 1), labels('bob', 2), labels('mia', 3)]);
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

/** Each run by its number: where it stands, and what it waits behind. */
async function turns(...numbers: readonly number[]): Promise<readonly string[]> {
  const lines = numbers.map(async (number) => {
    const { standing } = await stateIn(fixture, number);
    const behind = standing.phase === 'blocked' ? standing.behind?.map((each) => ` #${each}`) : [];
    return `#${number} ${standing.phase}${behind?.join('') ?? ''}`;
  });
  return Promise.all(lines);
}

test('of three that start at once, each begins when the one before it has ended', async () => {
  expect(await turns(4, 5, 6)).toEqual(['#4 awaiting_approval', '#5 blocked #4', '#6 blocked #5']);
  await fixture.says('mia', 4, '/approve');
  await fixture.bob.rest.pulls.merge({ ...at, pull_number: 4 });
  await fixture.sweep();
  expect(await turns(4, 5, 6)).toEqual(['#4 done', '#5 awaiting_approval', '#6 blocked #5']);
  await fixture.says('ada', 5, '/reject It is not what I meant.');
  expect(await turns(5, 6)).toEqual(['#5 rejected', '#6 awaiting_approval']);
});

test('people read what it waits behind, and somebody with write access starts it', async () => {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: 5 });
  expect(pull.draft).toBe(true);
  expect(pull.body).toContain('Waits for its turn, behind #4.');
  expect(pull.labels.map(({ name }) => name)).toContain('coxswain:blocked');
  await fixture.says('ada', 5, '/status');
  expect((await fixture.appComments(5)).at(-1)).toContain('Waiting for: its turn, behind #4');
  await fixture.says('rea', 5, '/resume');
  expect(await turns(5)).toEqual(['#5 blocked #4']);
  await fixture.says('bob', 5, '/resume');
  expect(await turns(4, 5, 6)).toEqual(['#4 awaiting_approval', '#5 awaiting_approval', '#6 blocked #5']);
});

test('one that is cancelled while it waits leaves its place to the next', async () => {
  await fixture.says('ada', 5, '/cancel');
  expect(await turns(4, 5, 6)).toEqual(['#4 awaiting_approval', '#5 cancelled', '#6 blocked #4']);
});

test('another process goes on with the line as the ledgers have it', async () => {
  await fixture.restart();
  await fixture.says('ada', 4, '/cancel');
  expect(await turns(4, 5, 6)).toEqual(['#4 cancelled', '#5 awaiting_approval', '#6 blocked #5']);
});

test('what ended unheard is found by the sweep', async () => {
  await fixture.ada.rest.pulls.update({ ...at, pull_number: 4, state: 'closed' });
  await fixture.restart();
  await fixture.sweep();
  expect(await turns(4, 5, 6)).toEqual(['#4 cancelled', '#5 awaiting_approval', '#6 blocked #5']);
});

test('with another limit more begin, or those that have begun go on', async () => {
  await allow('limits: { open_runs: 2 }');
  await fixture.sweep();
  expect(await turns(4, 5, 6)).toEqual(['#4 awaiting_approval', '#5 awaiting_approval', '#6 blocked #4 #5']);
  await allow('limits: { open_runs: 1 }');
  await fixture.says('ada', 5, '/cancel');
  expect(await turns(4, 6)).toEqual(['#4 awaiting_approval', '#6 blocked #4']);
  await allow('');
  await fixture.sweep();
  expect(await turns(6)).toEqual(['#6 awaiting_approval']);
});

test('runs that take the place of one take its place in line, one after the other', async () => {
  await fixture.says(
    'ada',
    4,
    '/spawn\n```coxswain\nname: parse\ndescription: Parse it.\n---\nname: show\ndescription: Show it.\n```',
  );
  expect(await turns(4, 5, 6, 7, 8)).toEqual([
    '#4 abandoned',
    '#5 blocked #8',
    '#6 blocked #5',
    '#7 awaiting_approval',
    '#8 blocked #7',
  ]);
  await fixture.says('ada', 7, '/cancel');
  expect(await turns(5, 8)).toEqual(['#5 blocked #8', '#8 awaiting_approval']);
});

test('what waits for a merge is in no line, and then waits for its turn', async () => {
  await fixture.ada.rest.issues.create({ ...at, title: 'Fourth', body: 'Depends on #4.' });
  await fixture.labels('ada', 7);
  const { standing } = await stateIn(fixture, 8);
  expect(standing).toEqual({ phase: 'blocked', on: [{ number: 4, is: 'open' }] });
  await fixture.says('mia', 4, '/approve');
  await fixture.bob.rest.pulls.merge({ ...at, pull_number: 4 });
  await fixture.sweep();
  expect(await turns(5, 6, 8)).toEqual(['#5 awaiting_approval', '#6 blocked #5', '#8 blocked #6']);
});

test('a change that is too large waits for people, who may split its task', async () => {
  await allow('limits: { diff_lines: 1 }\napproval: { mode: auto }');
  await fixture.pushes('ada', {
    from: 'main',
    files: { 'agent.sh': 'echo "$COXSWAIN_ITERATION" >> notes.txt; echo more >> notes.txt\n' },
  });
  await fixture.says('ada', 4, '/cancel');
  const { shown } = await stateIn(fixture, 5);
  expect(shown?.gates).toMatchObject([
    { rule: 'large-change', evidence: '2 lines in 1 file: more than the 1 of `limits.diff_lines`' },
  ]);
  const asked = (await fixture.appComments(5)).find((text) => text.includes('large-change'));
  expect(asked).toContain('too much to review at once: `/spawn` shows a block');
  expect(await turns(5)).toEqual(['#5 awaiting_approval']);
  await fixture.says('ada', 5, '/spawn Do the first half');
  expect(await turns(5, 7)).toEqual(['#5 abandoned', '#7 awaiting_approval']);
  const { earlier = [] } = await stateIn(fixture, 7);
  expect(earlier[0]?.reason).toContain('2 lines in 1 file');
});

test('a pull request of somebody else neither waits nor counts', async () => {
  await fixture.pushes('bob', { from: 'main', to: 'topic', files: { 'by-bob.txt': 'b\n' } });
  const asked = { ...at, head: 'topic', base: 'main', title: 'By hand' };
  const { data: pull } = await fixture.bob.rest.pulls.create(asked);
  await fixture.says('bob', pull.number, '/run Finish this');
  expect(await turns(pull.number)).toEqual([`#${pull.number} awaiting_approval`]);
  await fixture.says('ada', 4, '/cancel');
  expect(await turns(5, 6)).toEqual(['#5 awaiting_approval', '#6 blocked #5']);
});
