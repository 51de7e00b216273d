import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, waitForDeliveries } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { at, type Person } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Labels and blocks that people forge or remove are put right at once, and not without end. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns();
  fixture = waiting.fixture;
});

afterEach(() => expectNoProblems(fixture, /someone keeps changing a label/));
afterAll(() => fixture?.end());

const right = ['coxswain', 'coxswain:awaiting_approval'];

test('a forged label goes, and one that was removed comes back', async () => {
  const { bob } = fixture;
  const pull = waiting.next();
  const issue_number = pull.number;
  await bob.octokit.rest.issues.setLabels({ ...at, issue_number, labels: ['coxswain:approved', 'mine'] });
  await labelsOf(pull, ['mine', ...right]);
  await bob.octokit.rest.issues.removeLabel({ ...at, issue_number, name: 'coxswain' });
  await labelsOf(pull, ['mine', ...right]);
});

test('a table that claims more than is true is drawn again, also during an iteration', async () => {
  const { ada, bob, barrier } = fixture;
  const pull = await ada.starts(`agent: wait ${barrier.path}`);
  await barrier.reached();
  await labelsOf(pull, ['coxswain', 'coxswain:working']);
  await rewrites(bob, pull, (body) => body.replace(/\*\*Coxswain\*\*: .*/, '**Coxswain**: `approved`'));
  await bodyOf(pull, (body) => !body.includes('**Coxswain**: `approved`'));
  await rewrites(bob, pull, (body) =>
    body.replace(/<!-- coxswain:begin -->[\s\S]*<!-- coxswain:end -->/, ''),
  );
  await bodyOf(pull, (body) => body.includes('**Coxswain**: `'));
  await rewrites(bob, pull, (body) => `Mine.\n\n${body}`);
  barrier.open();
  await pull.waitForPhase('awaiting_approval');
  expect((await pull.details()).body).toMatch(/^Mine\./);
});

test('a block that claims a later state neither stops the run nor its rendering', async () => {
  const { ada, bob } = fixture;
  const pull = waiting.next();
  const { seq } = await pull.waitForPhase('awaiting_approval');
  await rewrites(bob, pull, (body) => body.replace(/"seq":\d+/, '"seq":900000'));
  await bodyOf(pull, (body) => body.includes(`"seq":${seq},`));
  await rewrites(bob, pull, (body) => body.replace(/"seq":\d+/, '"seq":900000'));
  await ada.says(pull, '/cancel');
  const { seq: later } = await pull.waitForPhase('cancelled');
  expect(later).toBeGreaterThan(seq);
  expect(later).toBeLessThan(1000);
});

test('someone who forges a label again and again is not followed for ever', async () => {
  const { bob } = fixture;
  const pull = waiting.next();
  const issue_number = pull.number;
  const forged = { ...at, issue_number, labels: ['coxswain:done'] };
  const writes = () =>
    fixture
      .requests()
      .filter(({ method, path }) => method === 'PATCH' && path.endsWith(`/issues/${pull.number}`));
  const before = writes().length;
  for (let time = 1; time <= 20; time++) {
    await bob.octokit.rest.issues.setLabels(forged);
    await waitForDeliveries(fixture);
    if (time <= 8) await labelsOf(pull, right);
  }
  // Each time is three events.
  expect(writes().length - before).toBeLessThanOrEqual(30);
  expect(fixture.app.warnings().join('\n')).toContain(`${pull.number}; the next sweep puts it right`);
});

async function labelsOf(pull: PullClient, wanted: readonly string[]): Promise<void> {
  let seen: readonly string[] = [];
  const look = async () => {
    seen = (await pull.snapshot()).labels;
    return JSON.stringify([...seen].sort()) === JSON.stringify([...wanted].sort()) ? true : undefined;
  };
  await eventually(`the labels ${wanted}`, look, { withinMs: 15_000, instead: () => `${seen}` });
}

async function bodyOf(pull: PullClient, isRight: (body: string) => boolean): Promise<void> {
  let seen = '';
  const look = async () => {
    seen = (await pull.details()).body ?? '';
    return isRight(seen) ? true : undefined;
  };
  await eventually('the block to be drawn again', look, { withinMs: 15_000, instead: () => seen });
}

async function rewrites(person: Person, pull: PullClient, change: (body: string) => string): Promise<void> {
  const body = (await pull.details()).body ?? '';
  expect(change(body)).not.toBe(body);
  await person.octokit.rest.pulls.update({ ...at, pull_number: pull.number, body: change(body) });
}
