import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newestConclusion, number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** An approved run on #2, from which someone with write access has removed all that tells of it. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  await fixture.restart();
  await fixture.ada.rest.pulls.update({ ...at, pull_number: number, body: 'A fix.' });
  await fixture.gitAsAda('push', '--quiet', fixture.url, `:refs/coxswain/open/${number}`);
});

afterEach(() => fixture.end());

test('a run without its block and its ledger does not stay green', async () => {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  expect(await newestConclusion(fixture, pull.head.sha)).toBe('success');
  await fixture.sweep();
  expect(await newestConclusion(fixture, pull.head.sha)).not.toBe('success');
  expect((await fixture.appComments(number)).at(-1)).toContain('/resume');
});

test('a pull request that is no run is looked at once until it changes', async () => {
  const { ada, forge } = fixture;
  await fixture.pushes('ada', { from: 'main', to: 'other', files: { other: 'x\n' } });
  const { data } = await ada.rest.pulls.create({ ...at, head: 'other', base: 'main', title: 'Other' });
  await ada.rest.issues.addLabels({ ...at, issue_number: data.number, labels: ['coxswain'] });
  const looks = async () => {
    const before = forge.requests.api.length;
    await fixture.sweep();
    const path = new RegExp(`/pulls/${data.number}$`);
    return forge.requests.api.slice(before).filter((each) => path.test(each.path)).length;
  };
  expect(await looks()).toBe(1);
  expect(await looks()).toBe(0);
  fixture.wait(5);
  await ada.rest.pulls.update({ ...at, pull_number: data.number, body: 'More.' });
  expect(await looks()).toBe(1);
});
