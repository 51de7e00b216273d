import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
let time = Date.parse('2026-03-01T08:00:00Z');

beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const query = `query($owner: String!, $repo: String!, $number: Int!, $types: [IssueTimelineItemsItemType!]) {
  repository(owner: $owner, name: $repo) { issue(number: $number) {
    timelineItems(last: 1, itemTypes: $types) {
      pageInfo { hasPreviousPage }
      nodes { ... on RenamedTitleEvent { createdAt actor { login } } }
    }
  } }
}`;

test("an issue's timeline says who changed its title, and when", async () => {
  const { at } = await fixture.repository();
  const wil = fixture.person('wil');
  const { data: issue } = await wil.issues.create({ ...at, title: 'One', body: 'x' });
  const issue_number = issue.number;
  await wil.issues.update({ ...at, issue_number, body: 'y' });
  await wil.issues.update({ ...at, issue_number, title: 'Two' });
  time += 60_000;
  await fixture.person('ada').issues.update({ ...at, issue_number, title: 'Three' });
  const found = await wil.graphql(query, { ...at, number: issue_number, types: ['RENAMED_TITLE_EVENT'] });
  expect(found).toMatchObject({
    repository: {
      issue: {
        timelineItems: {
          pageInfo: { hasPreviousPage: true },
          nodes: [{ createdAt: '2026-03-01T08:01:00Z', actor: { login: 'ada' } }],
        },
      },
    },
  });
});
