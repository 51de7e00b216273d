import { beforeEach, describe, expect, test } from 'vitest';
import { at, type RunsFixture } from './runs-fixture.ts';
import { oneTask, onInterruptedRun, stateOf } from './spawning-fixture.ts';

/** What a run that takes the place of another must not shed on the way. */
let fixture: RunsFixture;
onInterruptedRun((fresh) => {
  fixture = fresh;
});

const carrying = '/spawn\n```yaml coxswain\ndescription: Set the clock\ncarry: branch\n```';

/** Lets people decide again how to go on. */
async function interrupt(): Promise<void> {
  fixture.wait(10);
  await fixture.says('ada', 2, '/interrupt Once more.');
  fixture.wait(10);
}

describe('with the branch of the one before', () => {
  test('what others pushed to it is theirs, and people decide', async () => {
    const { run } = await stateOf(fixture, 2);
    await fixture.pushes('mia', { from: run.branch, files: { 'by-mia.txt': 'm\n' } });
    await fixture.sweep();
    await interrupt();
    await fixture.says('ada', 2, carrying);
    const state = await stateOf(fixture, 3);
    expect(state.others_pushed).toBe(true);
    expect(state.contributors?.map(({ login }) => login)).toEqual(['ada', 'mia', 'bob']);
    expect(state.people_unknown).toBeUndefined();
  });

  test('what nobody has recorded is known from GitHub', async () => {
    const { run } = await stateOf(fixture, 2);
    await fixture.pushes('mia', { from: run.branch, files: { 'by-mia.txt': 'm\n' } });
    await fixture.says('ada', 2, carrying);
    expect((await stateOf(fixture, 2)).standing.phase).not.toBe('abandoned');
    await interrupt();
    await fixture.says('ada', 2, carrying);
    expect((await stateOf(fixture, 3)).contributors).toContainEqual(
      expect.objectContaining({ login: 'mia' }),
    );
  });

  test('CI goes on waiting for a look at it', async () => {
    const { data } = await fixture.ada.rest.repos.getContent({ ...at, path: '.github/coxswain.yml' });
    const config = 'content' in data ? Buffer.from(data.content, 'base64').toString('utf8') : '';
    const files = { '.github/coxswain.yml': `${config}ci: after_look\n` };
    await fixture.pushes('mia', { from: 'main', files });
    await fixture.says('ada', 2, '/retry');
    await interrupt();
    await fixture.says('ada', 2, carrying);
    const { run } = await stateOf(fixture, 3);
    const { data: claim } = await fixture.ada.rest.git.getCommit({ ...at, commit_sha: run.head });
    expect(claim.message).toMatch(/^Start: .*\n\n\nCoxswain-Cause: (?:.*\n)*skip-checks: true\n?$/);
    const [began] = await fixture.run(3).run.ledger.events();
    expect(began).toMatchObject({ type: 'run_started', skips_ci: true });
  });
});

describe('with another base than that of the task', () => {
  beforeEach(async () => {
    await fixture.pushes('bob', { from: 'main', to: 'other', files: { 'by-bob.txt': 'b\n' } });
  });

  test('it is for that one, and not everybody is known who worked on what it begins with', async () => {
    await fixture.ada.rest.pulls.update({ ...at, pull_number: 2, base: 'other' });
    await fixture.sweep();
    await interrupt();
    await fixture.says('ada', 2, oneTask);
    const state = await stateOf(fixture, 3);
    const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: 3 });
    expect([pull.base.ref, state.run.base, state.task.base]).toEqual(['other', 'other', 'other']);
    expect(state.people_unknown).toBe(true);
  });

  test('a merge into it leaves the issue open', async () => {
    await fixture.says('ada', 2, oneTask);
    await fixture.ada.rest.pulls.update({ ...at, pull_number: 3, base: 'other', draft: false } as never);
    await fixture.sweep();
    fixture.wait(10);
    await fixture.says('mia', 3, '/approve');
    await fixture.ada.rest.pulls.merge({ ...at, pull_number: 3 });
    await fixture.sweep();
    expect((await stateOf(fixture, 3)).standing).toMatchObject({ phase: 'done', merged: true });
    expect((await fixture.ada.rest.issues.get({ ...at, issue_number: 1 })).data.state).toBe('open');
  });
});

test('a part of an issue cannot wait for that issue', async () => {
  await fixture.says('ada', 2, '/spawn\n```coxswain\ndescription: Set the clock\ndepends_on: [1]\n```');
  expect((await stateOf(fixture, 2)).standing.phase).toBe('awaiting_resolution');
  expect((await fixture.appComments(2)).at(-1)).toContain('cannot depend on itself');
});
