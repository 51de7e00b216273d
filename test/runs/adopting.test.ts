import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Pull requests of people on which someone wants an agent to work. */
let saved: SavedForge;
let fixture: RunsFixture;

const config =
  "version: 1\nagent: { use: command, command: [sh, agent.sh] }\nbases: [{ branches: 'release/*', check: release }]\n";

beforeAll(async () => {
  saved = await saveForge(async ({ ada, forge }) => {
    await ada.rest.issues.create({ ...at, title: 'Only pull requests follow' });
    await forge.seed.commit('acme/api', { '.github/coxswain.yml': config });
  });
  fixture = await startRunsFixture(saved);
});

afterAll(async () => {
  await fixture.end();
  await saved.remove();
});

/** Opens a pull request of Ada's from a new branch. */
async function opened(branch: string): Promise<number> {
  const { forge, ada, gitAsAda, url } = fixture;
  const sha = await forge.seed.commit('acme/api', { [`${branch}.txt`]: 'a\n' });
  await ada.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha });
  await gitAsAda('fetch', '--quiet', url, 'main');
  await gitAsAda('push', '--quiet', '--force', url, 'FETCH_HEAD~1:refs/heads/main');
  const { data } = await ada.rest.pulls.create({ ...at, head: branch, base: 'main', title: branch });
  return data.number;
}

async function refs(): Promise<string> {
  return fixture.gitAsAda('ls-remote', fixture.url, 'refs/coxswain/open/*');
}

const required = [{ context: 'ci' }];

const cases: readonly [string, string, RegExp, () => void][] = [
  [
    'a branch that the configuration lists',
    'release/1',
    /release\/1 is one of the branches/,
    () => undefined,
  ],
  [
    'one that changes only through pull requests',
    'guarded',
    /guarded is protected/,
    () => {
      fixture.forge.seed.addRuleset('acme/api', { include: ['guarded'], rules: [{ type: 'pull_request' }] });
    },
  ],
  [
    'one whose protection requires checks',
    'classic',
    /classic is protected/,
    () => {
      const required_status_checks = { strict: false, checks: [{ context: 'ci', app_id: null }] };
      fixture.forge.seed.addProtection('acme/api', 'classic', { required_status_checks });
    },
  ],
];

test.each(cases)('%s is not worked on', async (_, branch, reply, protect) => {
  const number = await opened(branch);
  protect();
  await fixture.says('ada', number, '/run tidy it');
  expect((await fixture.appComments(number)).at(-1)).toMatch(reply);
  expect(await refs()).toBe('');
});

test('a commit that another run works on is not, nor when both are asked for at once', async () => {
  const first = await opened('shared');
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: first });
  await fixture.ada.rest.git.createRef({ ...at, ref: 'refs/heads/again', sha: pull.head.sha });
  const opening = { ...at, head: 'again', base: 'main', title: 'The same commit' };
  const { data: second } = await fixture.ada.rest.pulls.create(opening);
  await Promise.all([first, second.number].map((number) => fixture.says('ada', number, '/run tidy it')));
  const ledgers = [...(await refs()).matchAll(/refs\/coxswain\/open\/(\d+)/g)].map(([, number]) =>
    Number(number),
  );
  const [winner, ...others] = ledgers.filter((number) => number === first || number === second.number);
  expect(others).toEqual([]);
  const loser = winner === first ? second.number : first;
  expect((await fixture.appComments(loser)).at(-1)).toContain(
    `The run on #${winner} has the same head commit`,
  );
  await fixture.says('ada', winner ?? 0, '/cancel');
  await fixture.says('ada', winner ?? 0, '/run tidy it');
  expect((await fixture.appComments(winner ?? 0)).at(-1)).toContain('This run has ended (`cancelled`).');
  await fixture.says('ada', loser, '/run tidy it');
  expect(await refs()).toContain(`refs/coxswain/open/${loser}`);
});

test('one that a person named like ours is not worked on if it is protected', async () => {
  const number = await opened('coxswain/mine');
  const rules = [{ type: 'pull_request' }] as const;
  fixture.forge.seed.addRuleset('acme/api', { include: ['coxswain/mine'], rules: [...rules] });
  await fixture.says('ada', number, '/run tidy it');
  expect((await fixture.appComments(number)).at(-1)).toMatch(/coxswain\/mine is protected/);
  expect(await refs()).not.toContain(`refs/coxswain/open/${number}\n`);
});

test('a branch that only has some rule is, until it is protected', async () => {
  const number = await opened('topic');
  const { seed } = fixture.forge;
  seed.addRuleset('acme/api', { include: ['topic'], rules: [{ type: 'non_fast_forward' }] });
  await fixture.says('ada', number, '/run tidy it');
  expect(await refs()).toContain(`refs/coxswain/open/${number}`);
  const { data: before } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  expect(before.commits).toBe(2);
  seed.addRuleset('acme/api', {
    include: ['topic'],
    rules: [{ type: 'required_status_checks', parameters: { required_status_checks: required } }],
    bypass_actors: [{ actor_type: 'Integration', actor_id: saved.app.id }],
  });
  await fixture.says('ada', number, '/steer more');
  const { data: after } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  expect(after.head.sha).toBe(before.head.sha);
  expect((await fixture.appComments(number)).at(-1)).toContain(
    'topic is protected, so agents do not work on it',
  );
});
