import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, waitForDeliveries } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { at } from './person.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** People without write access cost a limited number of writes, however many they write themselves. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  fixture = waiting.fixture;
});

afterAll(() => expectCleanEnd(fixture));

function writes(): readonly string[] {
  return fixture
    .requests()
    .filter(({ method, path }) => method !== 'GET' && /comments|reactions/.test(path))
    .map(({ path }) => path);
}

function roleLookups(): number {
  return fixture.requests().filter(({ path }) => path.includes('/collaborators/grace/permission')).length;
}

test('a stranger is answered ten times an hour in all issues and runs, and others are served meanwhile', async () => {
  const { grace, ada } = fixture;
  const pulls = [waiting.next(), waiting.next()];
  const issues = await Promise.all([1, 2, 3].map((n) => grace.opensIssue(`Do it ${n}`)));
  for (let round = 1; round <= 5; round++) {
    for (const issue of issues) await grace.says(issue, '/run it');
    for (const pull of pulls) await grace.says(pull, '/steer it');
  }
  await waitForDeliveries(fixture);
  const [pull] = pulls;
  if (pull === undefined) throw new Error('there is no run');
  await ada.says(pull, '/steer go on');
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  const answers = await Promise.all(
    [...issues, ...pulls.map(({ number }) => number)].map(async (issue_number) => {
      const { data } = await ada.octokit.rest.issues.listComments({ ...at, issue_number, per_page: 100 });
      return data.filter(({ user, body = '' }) => user?.type === 'Bot' && /requires write/.test(body)).length;
    }),
  );
  expect(answers.reduce((sum, count) => sum + count, 0)).toBe(10);
});

test('what was passed over is not looked at again in every sweep', async () => {
  const { grace } = fixture;
  const pull = waiting.next();
  for (let time = 1; time <= 5; time++) await grace.says(pull, '/status');
  await waitForDeliveries(fixture);
  const sweep = async () => {
    const { last_sweep } = (await (await fetch(`${fixture.app.url}/healthz`)).json()) as {
      last_sweep: string;
    };
    return last_sweep;
  };
  const first = await sweep();
  await eventually('another sweep', async () => ((await sweep()) > first ? true : undefined));
  const [lookups, written] = [roleLookups(), writes().length];
  const second = await sweep();
  await eventually('one more sweep', async () => ((await sweep()) > second ? true : undefined));
  expect([roleLookups(), writes().length]).toEqual([lookups, written]);
});
