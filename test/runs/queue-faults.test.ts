import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { settleGroup } from '../../src/runs/queue/settle-group.ts';
import { ledgerOf, number } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 waits for approval; its base has a merge queue, of which no webhook arrives. */
let saved: SavedForge;
let fixture: RunsFixture;

const path = '.github/coxswain.yml';
const config = (finish: 'ready' | 'merge') => `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers: [{ name: test, run: "true" }]
approval: { finish: ${finish} }
`;

beforeAll(async () => {
  saved = await saveForge(async (forge) => {
    await forge.pushes('ada', { from: 'main', files: { [path]: config('merge') } });
    const issue = await forge.ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await forge.says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  const required_status_checks = [{ context: 'Coxswain', integration_id: saved.app.id }];
  fixture.forge.seed.addRuleset('acme/api', {
    rules: [
      { type: 'merge_queue' },
      { type: 'required_status_checks', parameters: { required_status_checks } },
    ],
  });
});

afterEach(() => fixture.end());

const pull = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
const standing = async () => (await ledgerOf(fixture)).state.standing;

async function turns(how: 'enqueue' | 'dequeue'): Promise<void> {
  const key = how === 'enqueue' ? 'pullRequestId' : 'id';
  const query = `mutation ($id: ID!) { ${how}PullRequest(input: { ${key}: $id }) { clientMutationId } }`;
  await fixture.mia.graphql(query, { id: (await pull()).node_id });
}

/** The group of the run, whose files nobody has verified yet. */
async function group() {
  const { data } = await fixture.ada.rest.git.listMatchingRefs({ ...at, ref: 'heads/gh-readonly-queue/' });
  return { base: 'main', head: data[0]?.object.sha ?? '' };
}

/** Also those that a newer one of their name hides. */
async function checksOn(ref: string): Promise<ReadonlySet<string>> {
  const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref, filter: 'all' });
  return new Set(data.check_runs.map(({ name, status, conclusion }) => `${name}: ${conclusion ?? status}`));
}

const decided = new Set(['Coxswain / test: success', 'Coxswain: success']);

describe('a merge group', () => {
  let wanted: { base: string; head: string };

  beforeEach(async () => {
    await fixture.forge.seed.commit('acme/api', { 'news.txt': 'of the base\n' });
    await fixture.says('mia', number, '/approve');
    wanted = await group();
  });

  const context = () => {
    const { run, liveRuns } = fixture.run(number);
    return liveRuns.in(run.repository);
  };

  /** Each looks before the other has drawn anything. */
  const slow = () =>
    fixture.forge.seed.fault({ method: 'POST', path: /\/check-runs$/, times: 2, delay_ms: 3_000 });

  test('has no check run that does not end where GitHub tells of it twice', async () => {
    const here = context();
    slow();
    await Promise.all([settleGroup(wanted, here), settleGroup(wanted, here)]);
    await here.groups.drained();
    expect(await checksOn(wanted.head)).toEqual(decided);
    expect((await pull()).merged).toBe(true);
  });

  test('is not taken back by a second process that verifies it still when GitHub has merged it', async () => {
    const here = context();
    fixture.switches();
    const there = context();
    slow();
    await Promise.all([settleGroup(wanted, here), settleGroup(wanted, there)]);
    await Promise.all([here, there].map(({ groups }) => groups.drained()));
    expect(await checksOn(wanted.head)).toEqual(decided);
    expect((await pull()).merged).toBe(true);
  });

  test('is decided once where the answer to a check run is lost', async () => {
    fixture.forge.seed.fault({ method: 'POST', path: /\/check-runs$/, times: 1, drop: 'after' });
    const here = context();
    await settleGroup(wanted, here).catch(() => undefined);
    await fixture.sweep();
    await here.groups.drained();
    expect(await checksOn(wanted.head)).toEqual(decided);
  });
});

test('what a person took out of the queue is not merged when the queue is switched off', async () => {
  await fixture.says('mia', number, '/approve');
  expect(await standing()).toMatchObject({ queue: { is: 'in' } });
  await turns('dequeue');
  fixture.forge.seed.unprotect('acme/api');
  await fixture.sweep();
  expect((await pull()).merged).toBe(false);
  expect(await standing()).toMatchObject({ phase: 'approved', queue: { is: 'out', by: 'mia' } });
  await fixture.sweep();
  expect((await pull()).merged).toBe(false);
});

test('a run that people merge is not said to be in the queue once it has left it', async () => {
  await fixture.forge.seed.commit('acme/api', { [path]: config('ready') });
  await fixture.says('ada', number, '/verify');
  await fixture.says('mia', number, '/approve');
  expect(await standing()).toMatchObject({ phase: 'approved', finish: 'finished' });
  await turns('enqueue');
  const { run, liveRuns } = fixture.run(number);
  await settleGroup(await group(), liveRuns.in(run.repository));
  expect(await standing()).toMatchObject({ queue: { is: 'in' } });
  await turns('dequeue');
  await fixture.sweep();
  expect(await standing()).toMatchObject({ phase: 'approved', queue: { is: 'out', by: 'mia' } });
});
