import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const blocked_by = '/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by';

test('an issue is blocked by others until somebody says otherwise', async () => {
  const { at } = await fixture.repository();
  const ada = fixture.person('ada');
  const [blocked, blocker] = [
    (await ada.issues.create({ ...at, title: 'Second' })).data,
    (await ada.issues.create({ ...at, title: 'First' })).data,
  ];
  const place = { ...at, issue_number: blocked.number };
  const added = await ada.request(`POST ${blocked_by}`, { ...place, issue_id: blocker.id });
  expect(added).toMatchObject({ status: 201, data: { number: blocker.number } });
  const listed = await ada.request(`GET ${blocked_by}`, place);
  expect(listed.data.map(({ number }) => number)).toEqual([blocker.number]);
  await expect(ada.request(`POST ${blocked_by}`, { ...place, issue_id: blocked.id })).rejects.toMatchObject({
    status: 422,
  });
  await expect(ada.request(`POST ${blocked_by}`, { ...place, issue_id: 1 })).rejects.toMatchObject({
    status: 404,
  });
  const removed = await ada.request(`DELETE ${blocked_by}/{issue_id}`, { ...place, issue_id: blocker.id });
  expect(removed).toMatchObject({ status: 200, data: { number: blocker.number } });
  expect((await ada.request(`GET ${blocked_by}`, place)).data).toEqual([]);
});

const closing = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) {
    timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) { nodes { ... on ClosedEvent { closer {
      __typename ... on PullRequest { number merged mergeCommit { oid } }
    } } } }
  } }
}`;

test('the timeline says which pull request closed an issue, and nothing where somebody did', async () => {
  const repository = await fixture.repository();
  const { at } = repository;
  const clone = await fixture.clone(repository);
  await clone.commit('Work', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/topic');
  const ada = fixture.person('ada');
  const closer = async (number: number) => {
    const { repository: found } = await ada.graphql<{
      repository: { issue: { timelineItems: { nodes: { closer: unknown }[] } } };
    }>(closing, { ...at, number });
    return found.issue.timelineItems.nodes.map((node) => node.closer);
  };
  const { data: issue } = await ada.issues.create({ ...at, title: 'T' });
  expect(await closer(issue.number)).toEqual([]);
  const asked = { ...at, head: 'topic', base: 'main', title: 'T', body: `Fixes #${issue.number}` };
  const { data: pull } = await ada.pulls.create(asked);
  const { data: merged } = await ada.pulls.merge({ ...at, pull_number: pull.number });
  const mergeCommit = { oid: merged.sha };
  expect(await closer(issue.number)).toEqual([
    { __typename: 'PullRequest', number: pull.number, merged: true, mergeCommit },
  ]);
  const { data: other } = await ada.issues.create({ ...at, title: 'T' });
  await ada.issues.update({ ...at, issue_number: other.number, state: 'closed' });
  expect(await closer(other.number)).toEqual([null]);
});
