import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isAwaitingChecks } from '../../src/steering/standing.ts';
import { ledgerOf, newestConclusion, number } from './approved-run.ts';
import { anotherApp, configuration, githubActions, type OwnCi } from './own-ci.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 that waits for the check of its CI. */
let saved: SavedForge;
let fixture: RunsFixture;
let ci: OwnCi;

async function starts({ ada, says, pushes }: RunsFixture, config: string): Promise<void> {
  await pushes('ada', { from: 'main', files: { '.github/coxswain.yml': config } });
  const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  await says('ada', issue.data.number, '/run');
}

beforeAll(async () => {
  saved = await saveForge((first) => starts(first, configuration()));
});
afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  ci = githubActions(fixture);
});
afterEach(() => fixture.end());

const state = async () => (await ledgerOf(fixture)).state;
const phase = async () => (await state()).standing.phase;
const head = async () => (await state()).head;

/** GitHub tells the App that a check has ended. */
async function told(name = 'build / test', app = 'github-actions'): Promise<void> {
  await fixture.checkEnds(number, { check_name: name, app, head_sha: await head() });
}

async function ends(...[conclusion, given]: Shift<Parameters<OwnCi['says']>>): Promise<void> {
  await ci.says(await head(), conclusion, given);
  await told();
}

type Shift<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

describe('while the check is waited for', () => {
  test('nobody has a lease, and /status and /logs say for what and until when', async () => {
    expect(isAwaitingChecks((await state()).standing)).toBe(true);
    await fixture.says('ada', number, '/status');
    await fixture.says('ada', number, '/logs');
    const [status, logs] = (await fixture.appComments(number)).slice(-2);
    const line = /waits for build \/ test until \d\d:\d\d UTC \(by github-actions; not there yet\)/;
    expect(status).toMatch(line);
    expect(logs).toMatch(line);
  });

  test('success is green, beside the command, and draws no check run of ours', async () => {
    await ends('success', { text: '12 tests' });
    const { standing, shown } = await state();
    expect(standing.phase).toBe('awaiting_approval');
    expect(shown?.verifiers.map(({ verifier, success }) => [verifier, success])).toEqual([
      ['api:test', true],
      ['api:ci', true],
    ]);
    const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: await head() });
    const names = data.check_runs.map((run) => run.name).toSorted();
    expect(names).toEqual(['Coxswain', 'Coxswain / test', 'build / test']);
  });

  test('what fails starts the next attempt, whose prompt has what it says', async () => {
    const before = await head();
    await ends('failure', { text: 'expected 3, got 4' });
    await expect.poll(async () => (await state()).attempt).toBe(2);
    await expect.poll(async () => isAwaitingChecks((await state()).standing)).toBe(true);
    expect(await head()).not.toBe(before);
    const prompt = await fixture.run(number).run.artefact('iterations/0/2/implement/prompt.md');
    expect(prompt).toContain('ci failed with the following error output:');
    expect(prompt).toContain('The check build / test by github-actions ended with failure.');
    expect(prompt).toContain('expected 3, got 4');
  });

  test.each(['skipped', 'neutral'] as const)('%s asks a human', async (conclusion) => {
    await ends(conclusion);
    expect(await phase()).toBe('awaiting_resolution');
    expect((await fixture.appComments(number)).join()).toContain(
      `ci: The check build / test by github-actions ended with ${conclusion}, which is not green.`,
    );
    await fixture.says('mia', number, '/approve');
    expect(await phase()).toBe('awaiting_resolution');
  });

  test('a check of that name by another App does not count, and neither does a status', async () => {
    const other = await anotherApp(fixture);
    await other.says(await head(), 'success');
    await fixture.ada.rest.repos.createCommitStatus({
      ...at,
      ...{ sha: await head(), state: 'success', context: 'build / test' },
    });
    await told('build / test', 'other-ci');
    await told();
    await fixture.sweep();
    expect(await phase()).toBe('verifying');
    await ends('success');
    expect(await phase()).toBe('awaiting_approval');
  });

  test('of the same name the newest counts, also while it has not ended', async () => {
    await ci.says(await head(), 'success');
    await ends(null);
    expect(await phase()).toBe('verifying');
    await ends('success');
    expect(await phase()).toBe('awaiting_approval');
  });

  test('a restart loses nothing, and the sweep finds what nobody was told', async () => {
    await fixture.restart();
    await ci.says(await head(), 'success');
    await fixture.sweep();
    expect(await phase()).toBe('awaiting_approval');
  });

  test('after a restart a webhook is enough', async () => {
    await fixture.restart();
    await ends('success');
    expect(await phase()).toBe('awaiting_approval');
  });

  test('other checks cost no request', async () => {
    const fault = { method: 'GET', path: /check_name=build/, status: 403, body: { message: 'No.' } };
    fixture.forge.seed.fault({ ...fault, times: 1_000 });
    const other = { check_name: 'build / test', app: 'github-actions', head_sha: '0'.repeat(40) };
    await fixture.checkEnds(number, { check_name: 'docs', app: 'netlify', head_sha: await head() });
    await fixture.checkEnds(number, other);
    const unread = () => fixture.warnings.filter((line) => line.includes('could not read the checks'));
    expect(unread()).toEqual([]);
    await told();
    expect(unread()).toHaveLength(1);
  });
});

test('takes the approval back if it fails', async () => {
  await ends('success');
  await fixture.says('mia', number, '/approve');
  const approved = await head();
  expect(await newestConclusion(fixture, approved)).toBe('success');
  await ends('failure');
  expect(await phase()).toBe('awaiting_resolution');
  expect(await newestConclusion(fixture, approved)).not.toBe('success');
  expect((await fixture.appComments(number)).join()).toContain('required verifiers failed: ci');
});

test('a check that never comes is given up at its time, and a human is asked', async () => {
  const config = configuration({ timeout: '1s' });
  await fixture.pushes('ada', { from: 'main', files: { '.github/coxswain.yml': config } });
  await fixture.says('ada', number, '/steer --now otherwise');
  await expect.poll(phase, { timeout: 60_000 }).toBe('awaiting_resolution');
  await fixture.run(number).run.drained();
  const text = (await fixture.appComments(number)).join();
  expect(text).toMatch(
    /ci: The check build \/ test by github-actions is not there on [0-9a-f]{7} after 1 s\./,
  );
  expect((await state()).attempt).toBe(1);
});
