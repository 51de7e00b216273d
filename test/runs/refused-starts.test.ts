import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { configPath } from '../../src/config/schema.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A repository without a configuration: the first who ask for a run on issue 1 or 2 are refused. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock' });
    await ada.rest.issues.create({ ...at, title: 'The date is wrong' });
    const { data } = await ada.rest.repos.getContent({ ...at, path: configPath });
    const sha = 'sha' in data ? data.sha : '';
    await ada.rest.repos.deleteFile({ ...at, path: configPath, message: 'Remove it', sha });
  });
});

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());
afterAll(() => saved.remove());

async function runs(): Promise<readonly string[]> {
  const { data } = await fixture.ada.rest.pulls.list(at);
  return data.filter(({ head }) => head.ref.startsWith('coxswain/')).map(({ title }) => title);
}

async function mergeProposal(): Promise<void> {
  const [pull] = (await fixture.ada.rest.pulls.list(at)).data;
  await fixture.ada.rest.pulls.merge({ ...at, pull_number: pull?.number ?? 0 });
}

test.each<[string, () => Promise<unknown>]>([
  ['comment', () => fixture.says('ada', 1, '/run')],
  ['label', () => fixture.labels('ada', 1)],
])('a %s that was refused starts nothing later, by itself or after a restart', async (_, ask) => {
  await ask();
  await mergeProposal();
  await fixture.sweep();
  expect(await runs()).toEqual([]);
  await fixture.restart();
  await fixture.sweep();
  expect(await runs()).toEqual([]);
  expect(await fixture.appComments(1)).toHaveLength(1);
  await fixture.says('ada', 1, '/run');
  expect(await runs()).toEqual(['Fix the clock']);
  expect(await fixture.appComments(1)).toHaveLength(1);
});

test('who asks once more is heard by the sweep, also with the same label', async () => {
  await fixture.labels('ada', 1);
  await fixture.says('ada', 2, '/run');
  await mergeProposal();
  fixture.wait(5);
  const issue = { ...at, issue_number: 1 };
  await fixture.ada.rest.issues.removeLabel({ ...issue, name: 'coxswain' });
  await fixture.ada.rest.issues.addLabels({ ...issue, labels: ['coxswain'] });
  await fixture.ada.rest.issues.createComment({ ...at, issue_number: 2, body: '/run' });
  await fixture.restart();
  await fixture.sweep();
  expect([...(await runs())].sort()).toEqual(['Fix the clock', 'The date is wrong']);
});

test('a label that is refused for another reason is told that one', async () => {
  await fixture.labels('ada', 1);
  await fixture.forge.seed.commit('acme/api', { [configPath]: 'version: 2\n' });
  await fixture.labels('ada', 1);
  await fixture.labels('ada', 1);
  const told = await fixture.appComments(1);
  expect(told).toHaveLength(2);
  expect(told[1]).toContain('is not valid');
});

test('a comment that is refused is marked as that, beside the reply', async () => {
  const comment_id = await fixture.says('ada', 1, '/run');
  const { data } = await fixture.ada.rest.reactions.listForIssueComment({ ...at, comment_id });
  expect(data.map(({ content }) => content).sort()).toEqual(['confused', 'eyes']);
});
