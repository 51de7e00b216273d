import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { configPath } from '../../src/config/schema.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A repository with an executable, a link and a submodule, whose agent adds more of them. */
let saved: SavedForge;
let fixture: RunsFixture;

const agent = `echo "iteration $COXSWAIN_ITERATION" >> notes.txt
[ -e new.sh ] || { echo '#!/bin/sh' > new.sh; chmod +x new.sh; ln -s notes.txt new-link; }
`;
const submodule = '1234567890'.repeat(4);

function config(more = ''): string {
  return `version: 1\nagent: { use: command, command: [sh, agent.sh] }\nverifiers:\n  - { name: test, run: "true" }\n${more}`;
}

beforeAll(async () => {
  saved = await saveForge(async ({ ada, forge, gitAsAda, url }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock' });
    await forge.seed.commit('acme/api', {
      'agent.sh': agent,
      'run.sh': { content: '#!/bin/sh\n', mode: '100755' },
      link: { content: 'run.sh', mode: '120000' },
    });
    await gitAsAda('fetch', '--quiet', url, 'main');
    await gitAsAda('read-tree', 'FETCH_HEAD');
    await gitAsAda('update-index', '--add', '--cacheinfo', `160000,${submodule},vendor`);
    const tree = (await gitAsAda('write-tree')).trim();
    const author = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
    const commit = await gitAsAda(...author, 'commit-tree', tree, '-p', 'FETCH_HEAD', '-m', 'Add vendor');
    await gitAsAda('push', '--quiet', url, `${commit.trim()}:refs/heads/main`);
  });
});

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());
afterAll(() => saved.remove());

const seed = () => fixture.forge.seed;
const configure = (more: string) => seed().commit('acme/api', { [configPath]: config(more) });

function demandSignatures(...include: string[]): void {
  seed().addRuleset('acme/api', { include, rules: [{ type: 'required_signatures' }] });
}

async function pull() {
  const [found] = (await fixture.ada.rest.pulls.list({ ...at, state: 'all' })).data;
  if (found === undefined) throw new Error('there is no pull request');
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: found.number })).data;
}

async function verifications(number: number) {
  const { data } = await fixture.ada.rest.pulls.listCommits({ ...at, pull_number: number });
  return data.map(({ commit }) => commit.verification?.verified);
}

async function newest(number: number) {
  const { run } = fixture.run(number);
  await run.readLedger();
  return run.newest;
}

/** How often GitHub was asked to make a commit. */
const timesAsked = () =>
  fixture.forge.requests.api.filter(({ method, path }) => method === 'POST' && path.endsWith('/git/commits'))
    .length;

async function refs(prefix: string): Promise<readonly string[]> {
  const listed = await fixture.gitAsAda('ls-remote', fixture.url, `${prefix}*`);
  return listed.split('\n').flatMap((line) => line.split('\t')[1] ?? []);
}

test('a run is signed from its claim to its merge where every branch demands it', async () => {
  await configure('approval: { finish: merge, merge_method: merge }\n');
  demandSignatures('~ALL');
  await fixture.says('ada', 1, '/run');
  const { number } = await pull();
  await fixture.says('ada', number, '/steer once more');
  await fixture.says('ada', number, '/undo 0');
  const state = await newest(number);
  expect(state).toMatchObject({ signs: true, standing: { phase: 'awaiting_approval' } });
  expect(await verifications(number)).toEqual([true, true, true, true]);
  const { head } = await pull();
  expect(state?.head).toBe(head.sha);
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, `refs/heads/${head.ref}`);
  const files = await fixture.gitAsAda('ls-tree', 'FETCH_HEAD');
  const modes = Object.fromEntries(
    [...files.matchAll(/^(\d+) \w+ \w+\t(.*)$/gm)].map(([, mode, path]) => [path, mode]),
  );
  expect(modes).toMatchObject({
    ...{ 'run.sh': '100755', link: '120000', vendor: '160000' },
    ...{ 'new.sh': '100755', 'new-link': '120000', 'notes.txt': '100644' },
  });
  await fixture.says('mia', number, `/approve ${head.sha}`);
  expect((await pull()).merged).toBe(true);
  expect(await refs('refs/coxswain/unsigned/')).toEqual([]);
  const { data } = await fixture.ada.rest.repos.getCommit({ ...at, ref: head.sha });
  expect(data.commit).toMatchObject({ author: { name: 'coxswain[bot]' }, committer: { name: 'GitHub' } });
});

test('the record of an attempt names what landed, and what the agent had made', async () => {
  await configure('commits: { sign: github }\n');
  await fixture.says('ada', 1, '/run');
  const { number, head } = await pull();
  const { run } = fixture.run(number);
  const finished = (await run.ledger.events()).flatMap((event) =>
    event.type === 'work_finished' ? [event.work] : [],
  );
  expect(finished).toMatchObject([{ head: head.sha, unsigned: expect.not.stringMatching(head.sha) }]);
});

test.each<[string, () => void]>([
  ['a ruleset', () => demandSignatures('main')],
  [
    'the classic protection',
    () => {
      const required_status_checks = { strict: false, checks: [] };
      seed().addProtection('acme/api', 'main', { required_status_checks, required_signatures: true });
    },
  ],
])('%s of the base is enough, whoever merges in whatever way', async (_, demand) => {
  await configure('approval: { finish: merge, merge_method: squash }\n');
  demand();
  await fixture.says('ada', 1, '/run');
  const { number } = await pull();
  expect(await verifications(number)).toEqual([true, true]);
});

test.each<[string, string]>([
  ['nothing demands it', ''],
  ['it is switched off', 'commits: { sign: off }\n'],
])('commits are not signed if %s', async (reason, more) => {
  await configure(more);
  if (reason !== 'nothing demands it') demandSignatures('main');
  await fixture.says('ada', 1, '/run');
  const { number } = await pull();
  expect(await verifications(number)).toEqual([false, false]);
  expect(timesAsked()).toBe(0);
});

test.each<[string, string[], string]>([
  ['by the rule of the base', ['main'], ''],
  ['by the rule of its branch', ['coxswain/**/*'], ''],
  ['as it is configured', [], 'commits: { sign: github }\n'],
])(
  'where a server does not sign, a run that has to be signed %s is refused at once',
  async (_, rules, more) => {
    await configure(more);
    if (rules.length > 0) demandSignatures(...rules);
    seed().setSigning('none');
    await fixture.says('ada', 1, '/run');
    expect(await refs('refs/heads/coxswain/')).toEqual([]);
    expect(await fixture.appComments(1)).toEqual([
      expect.stringContaining(
        'No run was started, because its commits have to be signed: this server does not sign',
      ),
    ]);
  },
);

test('a signed commit with another id than GitHub names is refused', async () => {
  await configure('commits: { sign: github }\n');
  seed().setSigning('other');
  await fixture.says('ada', 1, '/run');
  expect(await refs('refs/heads/coxswain/')).toEqual([]);
  expect(await fixture.appComments(1)).toEqual([expect.stringContaining('does not have the id')]);
});

test('an adopted branch is signed, and refused where that cannot be', async () => {
  await configure('commits: { sign: github }\n');
  await fixture.pushes('bob', { from: 'main', to: 'topic', files: { 'b.txt': 'b\n' } });
  const opened = await fixture.bob.rest.pulls.create({ ...at, head: 'topic', base: 'main', title: 'Mine' });
  const { number } = opened.data;
  seed().setSigning('none');
  await fixture.says('ada', number, '/run');
  expect((await fixture.appComments(number)).at(-1)).toContain('its commits have to be signed');
  seed().clearFaults();
  await fixture.says('ada', number, '/run Go on');
  expect(await verifications(number)).toEqual([false, true]);
});

test('work that GitHub no longer signs does not land, and is kept', async () => {
  await configure('commits: { sign: github }\nattempts: { max: 1 }\n');
  await fixture.says('ada', 1, '/run');
  const { number, head } = await pull();
  seed().setSigning('none');
  await fixture.says('ada', number, '/steer more');
  expect((await pull()).head.sha).toBe(head.sha);
  expect((await newest(number))?.attempts.at(-1)?.failure).toEqual({
    kind: 'push_refused',
    message: expect.stringContaining('does not sign the commits of Apps'),
  });
  expect(await refs('refs/coxswain/unsigned/')).toEqual([]);
  expect(await refs(`refs/coxswain/kept/${number}/`)).toHaveLength(1);
  expect((await fixture.appComments(number)).at(-1)).toContain('To work with unsigned commits instead');
});

test('where a rule demands signatures of a run that has begun without, what follows is signed', async () => {
  await configure('');
  await fixture.says('ada', 1, '/run');
  const { number, head } = await pull();
  demandSignatures('coxswain/**/*');
  await fixture.says('ada', number, '/steer more');
  await fixture.says('ada', number, '/undo 0');
  expect((await newest(number))?.standing.phase).toBe('awaiting_approval');
  expect((await pull()).head.sha).not.toBe(head.sha);
  expect(await verifications(number)).toEqual([false, false, true, true]);
});

test('an update that brings unsigned commits of the base is refused, and says what helps', async () => {
  await configure('');
  demandSignatures('coxswain/**/*');
  await fixture.says('ada', 1, '/run');
  const { number, head } = await pull();
  await fixture.pushes('bob', { from: 'main', files: { 'b.txt': 'b\n' } });
  await fixture.says('ada', number, '/update');
  expect((await pull()).head.sha).toBe(head.sha);
  expect((await fixture.appComments(number)).at(-1)).toContain(
    'GitHub signs what Coxswain commits, but not the commits of the base that come with it. Exclude `coxswain/**`',
  );
});

test('what a process has left that was killed while GitHub signed is removed by the sweep', async () => {
  await configure('commits: { sign: github }\n');
  await fixture.says('ada', 1, '/run');
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, 'main');
  for (const name of ['1', '2']) {
    const left = `refs/coxswain/unsigned/${name.repeat(40)}`;
    await fixture.gitAsAda('push', '--quiet', fixture.url, `FETCH_HEAD:${left}`);
  }
  await fixture.sweep();
  expect(await refs('refs/coxswain/unsigned/')).toEqual([]);
  expect(fixture.warnings).toEqual([]);
});

test('where it is switched off, a refused push says how to switch it on', async () => {
  await configure('commits: { sign: off }\n');
  demandSignatures('coxswain/**/*');
  await fixture.says('ada', 1, '/run');
  expect(await fixture.appComments(1)).toEqual([expect.stringContaining('Write `commits: {sign: github}`')]);
});

test('two processes that claim at once make one run', async () => {
  demandSignatures('~ALL');
  await fixture.says('ada', 1, '/run', 2);
  expect((await fixture.ada.rest.pulls.list(at)).data).toHaveLength(1);
  expect(await refs('refs/heads/coxswain/')).toHaveLength(1);
});
