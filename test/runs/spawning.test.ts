import { describe, expect, test } from 'vitest';
import { at, type RunsFixture } from './runs-fixture.ts';
import { oneTask, onInterruptedRun, pullsOf, stateOf, threeTasks } from './spawning-fixture.ts';

/** Runs that take the place of one that failed. */
let fixture: RunsFixture;
onInterruptedRun((fresh) => {
  fixture = fresh;
});

async function bodyOf(number: number): Promise<string> {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data.body ?? '';
}

async function merge(number: number): Promise<void> {
  await fixture.ada.rest.pulls.update({ ...at, pull_number: number, draft: false } as never);
  await fixture.says('mia', number, '/approve');
  await fixture.ada.rest.pulls.merge({ ...at, pull_number: number });
  await fixture.sweep();
}

test('one takes its place, with what people said and who they were', async () => {
  await fixture.says('ada', 2, oneTask);
  expect(await pullsOf(fixture)).toEqual(['#2 Fix the clock: closed', '#3 Set the clock: open']);
  const cause = (await stateOf(fixture, 2)).replaced_by?.cause ?? '';
  expect(await stateOf(fixture, 2)).toMatchObject({
    standing: { phase: 'abandoned', by: 'ada', reason: 'replaced by #3' },
    replaced_by: { made: [{ name: 'set-the-clock', number: 3 }] },
    owed: [],
  });
  expect(await stateOf(fixture, 3)).toMatchObject({
    task: {
      id: 'issue-1-set-the-clock',
      title: 'Set the clock',
      description: 'Set the clock',
      depends_on: [],
    },
    run: { issue: 1 },
    requested_by: { login: 'ada' },
    replaces: { number: 2, cause, name: 'set-the-clock' },
    contributors: [{ login: 'ada' }, { login: 'bob' }],
    earlier: [{ number: 2, by: { login: 'ada' }, how: 'replaced' }],
    standing: { phase: 'awaiting_approval' },
    interactions: [],
  });
  expect(await bodyOf(3)).toContain('Part of #1, takes the place of #2, requested by @ada.');
  expect(await bodyOf(3)).not.toMatch(/closes/i);
  expect(await bodyOf(2)).toContain('replaced by #3');
  expect(await fixture.appComments(1)).toEqual([
    'The run in #2 was replaced by #3, for ada. The last of them to be merged closes this issue.',
  ]);
  const { run } = fixture.run(3);
  expect(await run.artefact('iterations/0/1/implement/prompt.md')).toMatch(
    /#2, replaced by @ada[\s\S]*too much/,
  );
});

test('three that depend on each other are made in that order, and wait', async () => {
  await fixture.says('ada', 2, threeTasks);
  expect(await pullsOf(fixture)).toEqual([
    '#2 Fix the clock: closed',
    '#3 Parse the time.: open',
    '#4 Set the clock.: open',
    '#5 Show the clock: open',
  ]);
  expect((await stateOf(fixture, 3)).task).toMatchObject({ component: 'parser', depends_on: [] });
  expect(await stateOf(fixture, 4)).toMatchObject({
    task: { acceptance_criteria: ['it is set'], depends_on: ['#3'] },
    standing: { phase: 'blocked', on: [{ number: 3, is: 'open' }] },
  });
  expect((await stateOf(fixture, 5)).standing).toMatchObject({
    on: [
      { number: 3, is: 'open' },
      { number: 4, is: 'open' },
    ],
  });
});

test('begins from the branch before where that is wanted', async () => {
  const { head } = await stateOf(fixture, 2);
  await fixture.says('ada', 2, '/spawn\n```yaml coxswain\ndescription: Set the clock\ncarry: branch\n```');
  const { run } = await stateOf(fixture, 3);
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, `+refs/heads/${run.branch}:refs/heads/new`);
  expect((await fixture.gitAsAda('rev-parse', `${run.head}^`)).trim()).toBe(head);
  expect(run.base).toBe('main');
});

test('of two at once, the first counts', async () => {
  const { ada, bob, hears } = fixture;
  const place = { ...at, issue_number: 2 };
  const { data: first } = await ada.rest.issues.createComment({ ...place, body: oneTask });
  const { data: second } = await bob.rest.issues.createComment({ ...place, body: '/spawn Buy a clock' });
  await Promise.all([hears('ada', 2, first, 2), hears('bob', 2, second)]);
  expect(await pullsOf(fixture)).toHaveLength(2);
  expect((await stateOf(fixture, 2)).standing).toMatchObject({ phase: 'abandoned' });
});

test('no other run is started on the issue while one of them is open', async () => {
  await fixture.says('ada', 2, oneTask);
  fixture.wait(10);
  await fixture.says('ada', 1, '/run');
  expect(await pullsOf(fixture)).toHaveLength(2);
  expect((await fixture.appComments(1)).at(-1)).toContain('A run is already in progress in #3.');
  await fixture.says('ada', 3, '/cancel');
  fixture.wait(10);
  await fixture.says('ada', 1, '/run');
  expect(await pullsOf(fixture)).toContain('#4 Fix the clock: open');
});

describe('the issue', () => {
  test('is closed with the last one that is merged', async () => {
    const two = ['name: one', 'description: One', '---', 'name: other', 'description: Other'];
    await fixture.says('ada', 2, ['/spawn', '```coxswain', ...two, '```'].join('\n'));
    fixture.wait(10);
    const issue = async () => (await fixture.ada.rest.issues.get({ ...at, issue_number: 1 })).data;
    await merge(3);
    expect((await issue()).state).toBe('open');
    await merge(4);
    expect(await issue()).toMatchObject({ state: 'closed', state_reason: 'completed' });
    expect((await fixture.appComments(1)).filter((text) => text.includes('#3, #4'))).toHaveLength(2);
  });

  test('is told of a run that is given up', async () => {
    await fixture.says('ada', 2, '/abandon The clock is gone.');
    expect(await fixture.appComments(1)).toEqual([
      'The run in #2 was abandoned by ada: The clock is gone. No run is working on this anymore; `/run` starts a new one.',
    ]);
    expect(await pullsOf(fixture)).toEqual(['#2 Fix the clock: closed']);
  });
});
