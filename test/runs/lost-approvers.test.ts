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

/** What the newest check run says. */
async function summary(): Promise<string> {
  const place = { ...at, ref: (await pull()).head.sha, check_name: 'Coxswain' };
  const { data } = await fixture.ada.rest.checks.listForRef(place);
  return `${data.check_runs[0]?.output.summary} ${data.check_runs[0]?.output.text}`;
}

const says = (login: 'ada' | 'bob' | 'mia' | 'rea', text: string) => fixture.says(login, number, text);

test('an approval falls when CODEOWNERS on the base names somebody else', async () => {
  for (const login of ['bob', 'mia'] as const) await says(login, '/approve');
  expect(await phase()).toBe('approved');
  await fixture.forge.seed.commit('acme/api', { '.github/CODEOWNERS': '/web/ @ada\n' });
  await fixture.sweep();
  expect(await phase()).toBe('awaiting_approval');
  expect((await comments()).join('\n')).toContain('web/app.js needs @ada');
  for (const login of ['ada', 'bob'] as const) await says(login, '/approve');
  expect(await phase()).toBe('approved');
});

test('a team that is gone is a mistake in the configuration, which the pull request says', async () => {
  for (const login of ['bob', 'mia'] as const) await says(login, '/approve');
  fixture.forge.seed.removeTeam('acme/platform');
  await fixture.sweep();
  expect(await phase()).toBe('failed');
  expect(await summary()).toContain('a team of acme, by its slug');
});

test('without the permission to read teams, nobody is taken for a member, and the permission is named', async () => {
  const { seed } = fixture.forge;
  const permissions = {
    contents: 'write',
    pull_requests: 'write',
    issues: 'write',
    checks: 'write',
  } as const;
  seed.setInstallationPermissions(saved.app.installation, { ...permissions, statuses: 'write' });
  await says('bob', '/approve');
  expect(await lastComment()).toContain('Still needed: 1 more by write; infra/ needs @acme/platform');
  await says('mia', '/retry');
  expect(await phase()).toBe('failed');
  expect(await summary()).toContain('"Members: read"');
});

test('an outage of the teams is neither yes nor no: the approval counts when it is over', async () => {
  fixture.forge.seed.fault({ method: 'GET', path: /\/teams\//, status: 502, times: 100 });
  await expect(says('bob', '/approve')).rejects.toThrow();
  fixture.forge.seed.clearFaults();
  await fixture.sweep();
  await says('mia', '/approve');
  expect(await phase()).toBe('approved');
});
