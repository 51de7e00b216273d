import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readBlock } from '../../src/github/show/block.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/**
 * A run on #2 changes notes.txt, infra/main.tf and web/app.js; its configuration wants two people, the team
 * acme/platform for infra/, and code owners. Bob is in acme/platform through a child team.
 */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

const config = (approval: string) =>
  `version: 1\nagent: { use: command, command: [sh, agent.sh] }\nverifiers:\n  - { name: test, run: "true" }\napproval: ${approval}\n`;

const strict =
  '{ required: 2, by: [codeowners], protected_paths: [{ paths: infra/, by: ["@acme/platform"] }] }';

beforeAll(async () => {
  saved = await saveForge(async ({ forge: { seed }, ada, says }) => {
    seed.addTeam('acme/platform', { repositories: ['acme/api'] });
    seed.addTeam('acme/terraform', { parent: 'acme/platform' });
    seed.setMember('acme/terraform', 'bob', true);
    const agent = 'mkdir -p infra web\necho a >> notes.txt\necho a >> infra/main.tf\necho a >> web/app.js\n';
    await seed.commit('acme/api', {
      '.github/coxswain.yml': config(strict),
      '.github/CODEOWNERS': '/web/ @mia\n',
      'agent.sh': agent,
    });
    const issue = await ada.rest.issues.create({ ...at, title: 'Move the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

async function pull() {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
}

const phase = async () => readBlock((await pull()).body ?? '')?.phase;
/** Without what keeps names from notifying people. */
const comments = async () => (await fixture.appComments(number)).map((text) => text.replaceAll('\u200b', ''));
const lastComment = async () => (await comments()).at(-1) ?? '';

const says = (login: 'ada' | 'bob' | 'mia' | 'rea', text: string) => fixture.says(login, number, text);

test('an approval says what is still missing, and of whom; the last one that is missing approves', async () => {
  await says('ada', '/approve');
  expect(await lastComment()).toContain(
    'Approval 1 of 2 recorded. Still needed: 1 more by write; infra/ needs @acme/platform; web/app.js needs @mia.',
  );
  await says('mia', '/approve');
  expect(await phase()).toBe('awaiting_approval');
  expect(await lastComment()).toContain(
    'Approval 2 of 2 recorded. Still needed: infra/ needs @acme/platform.',
  );
  await says('bob', '/approve');
  expect(await phase()).toBe('approved');
  expect((await pull()).draft).toBe(false);
});

test('those whose approval is missing by name are asked for a review, once', async () => {
  const { requested_reviewers, requested_teams, draft } = await pull();
  expect(draft).toBe(true);
  expect(requested_reviewers?.map(({ login }) => login)).toEqual(['mia']);
  expect(requested_teams?.map(({ slug }) => slug)).toEqual(['platform']);
  const asked = { ...at, pull_number: number, reviewers: ['mia'] };
  await fixture.ada.rest.pulls.removeRequestedReviewers(asked);
  await says('ada', '/verify');
  expect((await pull()).requested_reviewers).toEqual([]);
});

test('people without a part in it are told who has', async () => {
  await says('rea', '/approve');
  expect(await lastComment()).toContain('@acme/platform');
  expect(await phase()).toBe('awaiting_approval');
});

test('an approval falls when its author leaves the team', async () => {
  for (const login of ['bob', 'mia'] as const) await says(login, '/approve');
  expect(await phase()).toBe('approved');
  fixture.forge.seed.setMember('acme/terraform', 'bob', false);
  await fixture.sweep();
  expect(await phase()).toBe('awaiting_approval');
  expect((await comments()).join('\n')).toContain('infra/ needs @acme/platform');
});
