import { afterEach, expect, test } from 'vitest';
import type { AppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { startFixtureWithRuns } from './waiting-runs.ts';

/** One delivery, comment, repository or installation that fails for ever never stops the others. */
let fixture: AppFixture;

afterEach(() => fixture.end());

const byApp = (path: string) => new RegExp(`^(?!.*by=people).*${path}`);
const forEver = { times: 1_000_000 };
const variables = { COXSWAIN_SWEEP_EVERY: '1s' };

test('a delivery that can never be recorded is given up, is said once, and is not tried after a restart', async () => {
  const waiting = await startFixtureWithRuns({ variables });
  fixture = waiting.fixture;
  const { bob, mia, forge } = fixture;
  const pull = waiting.next();
  forge.seed.fault({ path: byApp('/collaborators/bob/permission'), ...forEver, status: 422 });
  const began = new Date().toISOString();
  await bob.says(pull, '/status');
  await mia.says(pull, '/steer go on');
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  await eventually('the delivery to be given up', async () =>
    (await health()).given_up_deliveries === 1 ? true : undefined,
  );
  await eventually('a sweep to be complete', async () =>
    ((await health()).last_sweep ?? '') > began ? true : undefined,
  );
  await fixture.app.stop();
  const earlier = linesAbout('gave up');
  await fixture.start();
  const restarted = new Date().toISOString();
  await eventually('a sweep to be complete', async () =>
    ((await health()).last_sweep ?? '') > restarted ? true : undefined,
  );
  expect([earlier.length, linesAbout('gave up').length]).toEqual([1, 0]);
  expect((await health()).given_up_deliveries).toBe(1);
});

test('a comment whose author GitHub cannot tell does not keep later commands from being found', async () => {
  const waiting = await startFixtureWithRuns({ variables });
  fixture = waiting.fixture;
  const { bob, mia, forge } = fixture;
  const pull = waiting.next();
  await fixture.app.stop();
  await bob.says(pull, '/status');
  await mia.says(pull, '/steer go on');
  forge.seed.fault({ path: byApp('/collaborators/bob/permission'), ...forEver, status: 422 });
  // Only the comments themselves are left to find them by.
  forge.seed.fault({ path: byApp('/app/hook/deliveries'), ...forEver, status: 422 });
  await fixture.start();
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
});

test('a repository and an installation that GitHub refuses do not keep others from being swept', async () => {
  const waiting = await startFixtureWithRuns({ variables });
  fixture = waiting.fixture;
  const { mia, forge, accounts } = fixture;
  const pull = waiting.next();
  await fixture.app.stop();
  await addsRepository('acme', 'broken');
  forge.seed.addToInstallation(accounts.installation, ['acme/broken']);
  await addsRepository('other', 'things');
  const suspended = forge.seed.installApp(accounts.registered, ['other/things']);
  await mia.says(pull, '/steer go on');
  forge.seed.fault({ path: byApp('/app/hook/deliveries'), ...forEver, status: 422 });
  forge.seed.fault({ path: byApp('/repos/acme/broken'), ...forEver, status: 403 });
  forge.seed.fault({ path: byApp(`/installations/${suspended}/access_tokens`), ...forEver, status: 403 });
  await fixture.start();
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
});

test('known runs are swept while GitHub cannot search for them, and the health says so', async () => {
  const waiting = await startFixtureWithRuns({ variables });
  fixture = waiting.fixture;
  const { mia, forge } = fixture;
  const pull = waiting.next();
  await fixture.app.stop();
  await mia.says(pull, '/steer go on');
  forge.seed.fault({ path: byApp('/app/hook/deliveries'), ...forEver, status: 422 });
  forge.seed.fault({ path: byApp('/search/'), ...forEver, status: 503 });
  await fixture.start();
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  await eventually('the health to say so', async () => (await health()).sweep_failures === 2 || undefined);
});

/** With a pull request that looks like a run. */
async function addsRepository(owner: string, repo: string): Promise<void> {
  const { forge, mia } = fixture;
  const { git, repos, pulls, issues } = mia.octokit.rest;
  if (owner !== 'acme') forge.seed.addOrganization(owner);
  await forge.seed.addRepository({ owner, name: repo, files: { 'a.txt': 'a\n' } });
  forge.seed.setCollaborator(`${owner}/${repo}`, 'mia', 'write');
  const { data: main } = await git.getRef({ owner, repo, ref: 'heads/main' });
  await git.createRef({ owner, repo, ref: 'refs/heads/other', sha: main.object.sha });
  const file = { path: 'b.txt', message: 'Add b', content: 'Yg==', branch: 'other' };
  await repos.createOrUpdateFileContents({ owner, repo, ...file });
  const { data: pull } = await pulls.create({ owner, repo, title: 'b', head: 'other', base: 'main' });
  await issues.addLabels({ owner, repo, issue_number: pull.number, labels: ['coxswain'] });
}

interface Health {
  readonly last_sweep: string | null;
  readonly given_up_deliveries?: number;
  readonly sweep_failures?: number;
}

async function health(): Promise<Health> {
  const response = await fetch(`${fixture.app.url}/healthz`);
  // Our own answer, see `src/app/app.ts`.
  return (await response.json()) as Health;
}

function linesAbout(text: string): readonly string[] {
  return fixture.app
    .output()
    .split('\n')
    .filter((line) => line.includes(text));
}
