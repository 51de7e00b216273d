import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, newestConclusion, number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** An approved run, and what is said about it while no webhook arrives. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

/** Says something whose webhook never comes. */
async function saysUnheard(login: 'mia' | 'rea', body: string): Promise<number> {
  const person = fixture.client(saved.tokens[login]);
  return (await person.rest.issues.createComment({ ...at, issue_number: number, body })).data.id;
}

const phase = async () => (await ledgerOf(fixture)).state.standing.phase;

function requestsSince(before: number, path: RegExp): readonly string[] {
  const all = fixture.forge.requests.api.slice(before).map((request) => request.path);
  return all.filter((each) => path.test(each));
}

test('a command whose webhook never came is found although something else was recorded since', async () => {
  const { head } = (await ledgerOf(fixture)).state;
  await saysUnheard('mia', '/reject this is dangerous');
  fixture.wait(120);
  await fixture.says('ada', number, '/status');
  await fixture.sweep();
  expect(await phase()).toBe('rejected');
  expect(await newestConclusion(fixture, head)).not.toBe('success');
});

test('the same is found by another process', async () => {
  await saysUnheard('mia', '/reject this is dangerous');
  fixture.wait(120);
  await fixture.says('ada', number, '/status');
  await fixture.restart();
  await fixture.sweep();
  expect(await phase()).toBe('rejected');
});

test('a sweep asks only for what was written since the one before it', async () => {
  await saysUnheard('mia', 'All is well.');
  fixture.wait(120);
  await fixture.sweep();
  const asked: unknown[] = [];
  fixture.run(number).run.repository.octokit.hook.after('request', ({ data }, { url }) => {
    if (/issues\/(\d+|\{issue_number\})\/comments/.test(url) && Array.isArray(data)) asked.push(data);
  });
  await fixture.sweep();
  expect(asked).toEqual([[]]);
});

test('what people without write access said long ago is not answered after a restart', async () => {
  await saysUnheard('rea', '/status');
  await saysUnheard('rea', '/help');
  fixture.wait(120);
  await fixture.says('ada', number, '/status');
  await fixture.restart();
  const before = fixture.forge.requests.api.length;
  await fixture.sweep();
  const { events } = await ledgerOf(fixture);
  expect(events.filter((event) => event.type === 'said' && event.by.login === 'rea')).toEqual([]);
  expect(requestsSince(before, /\/collaborators\/rea\/permission/)).toHaveLength(1);
});
