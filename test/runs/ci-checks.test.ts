import { describe, expect, test } from 'vitest';
import { isAwaitingChecks } from '../../src/steering/shapes/standing.ts';
import { newestConclusion, number } from './approved-run.ts';
import { anotherApp, configuration } from './own-ci.ts';
import { runAwaitingCi } from './run-awaiting-ci.ts';
import { at } from './runs-fixture.ts';

const run = runAwaitingCi();
const { state, phase, head, told, ends } = run;

describe('while the check is waited for', () => {
  test('nobody has a lease, and /status and /logs say for what and until when', async () => {
    expect(isAwaitingChecks((await state()).standing)).toBe(true);
    await run.fixture.says('ada', number, '/status');
    await run.fixture.says('ada', number, '/logs');
    const [status, logs] = (await run.fixture.appComments(number)).slice(-2);
    const line = /waits for build \/ test until \d\d:\d\d UTC \(by github-actions; not reported yet\)/;
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
    const { data } = await run.fixture.ada.rest.checks.listForRef({ ...at, ref: await head() });
    const names = data.check_runs.map((run) => run.name).toSorted();
    expect(names).toEqual(['Coxswain', 'Coxswain / test', 'build / test']);
  });

  test('what fails starts the next attempt, whose prompt has what it says', async () => {
    const before = await head();
    await ends('failure', { text: 'expected 3, got 4' });
    await expect.poll(async () => (await state()).attempt).toBe(2);
    await expect.poll(async () => isAwaitingChecks((await state()).standing)).toBe(true);
    expect(await head()).not.toBe(before);
    const prompt = await run.fixture.run(number).run.artefact('iterations/0/2/implement/prompt.md');
    expect(prompt).toContain('ci failed with the following error output:');
    expect(prompt).toContain('The check build / test by github-actions ended with failure.');
    expect(prompt).toContain('expected 3, got 4');
  });

  test.each(['skipped', 'neutral'] as const)('%s asks a human', async (conclusion) => {
    await ends(conclusion);
    expect(await phase()).toBe('awaiting_resolution');
    expect((await run.fixture.appComments(number)).join()).toContain(
      `ci: The check build / test by github-actions ended with ${conclusion}, which is not green.`,
    );
    await run.fixture.says('mia', number, '/approve');
    expect(await phase()).toBe('awaiting_resolution');
  });

  test('a check of that name by another App does not count, and neither does a status', async () => {
    const other = await anotherApp(run.fixture);
    await other.says(await head(), 'success');
    await run.fixture.ada.rest.repos.createCommitStatus({
      ...at,
      ...{ sha: await head(), state: 'success', context: 'build / test' },
    });
    await told('build / test', 'other-ci');
    await told();
    await run.fixture.sweep();
    expect(await phase()).toBe('verifying');
    await ends('success');
    expect(await phase()).toBe('awaiting_approval');
  });

  test('of the same name the newest counts, also while it has not ended', async () => {
    await run.ci.says(await head(), 'success');
    await ends(null);
    expect(await phase()).toBe('verifying');
    await ends('success');
    expect(await phase()).toBe('awaiting_approval');
  });

  test('a restart loses nothing, and the sweep finds what nobody was told', async () => {
    await run.fixture.restart();
    await run.ci.says(await head(), 'success');
    await run.fixture.sweep();
    expect(await phase()).toBe('awaiting_approval');
  });

  test('after a restart a webhook is enough', async () => {
    await run.fixture.restart();
    await ends('success');
    expect(await phase()).toBe('awaiting_approval');
  });

  test('other checks cost no request', async () => {
    const fault = { method: 'GET', path: /check_name=build/, status: 403, body: { message: 'No.' } };
    run.fixture.forge.seed.fault({ ...fault, times: 1_000 });
    const other = { check_name: 'build / test', app: 'github-actions', head_sha: '0'.repeat(40) };
    await run.fixture.checkEnds(number, { check_name: 'docs', app: 'netlify', head_sha: await head() });
    await run.fixture.checkEnds(number, other);
    const unread = () => run.fixture.warnings.filter((line) => line.includes('could not read the checks'));
    expect(unread()).toEqual([]);
    await told();
    expect(unread()).toHaveLength(1);
  });
});

test('takes the approval back if it fails', async () => {
  await ends('success');
  await run.fixture.says('mia', number, '/approve');
  const approved = await head();
  expect(await newestConclusion(run.fixture, approved)).toBe('success');
  await ends('failure');
  expect(await phase()).toBe('awaiting_resolution');
  expect(await newestConclusion(run.fixture, approved)).not.toBe('success');
  expect((await run.fixture.appComments(number)).join()).toContain('required verifiers failed: ci');
});

test('a check that never comes is given up at its time, and a human is asked', async () => {
  const config = configuration({ timeout: '1s' });
  await run.fixture.pushes('ada', { from: 'main', files: { '.github/coxswain.yml': config } });
  await run.fixture.says('ada', number, '/steer --now otherwise');
  await expect.poll(phase, { timeout: 60_000 }).toBe('awaiting_resolution');
  await run.fixture.run(number).run.drained();
  const text = (await run.fixture.appComments(number)).join();
  expect(text).toMatch(
    /ci: The check build \/ test by github-actions has not reported on [0-9a-f]{7} after 1 s\./,
  );
  expect((await state()).attempt).toBe(1);
});
