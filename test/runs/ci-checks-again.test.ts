import { describe, expect, test } from 'vitest';
import { newestConclusion, number } from './approved-run.ts';
import { runAwaitingCi } from './run-awaiting-ci.ts';

const run = runAwaitingCi();
const { state, phase, head, ends } = run;

describe('what is run again', () => {
  test('takes it back at the sweep, too', async () => {
    await ends('success');
    await run.fixture.says('mia', number, '/approve');
    await run.ci.says(await head(), 'failure');
    await run.fixture.sweep();
    expect((await state()).approvals).toEqual([]);
    expect(await newestConclusion(run.fixture, await head())).not.toBe('success');
  });

  test('is judged again without an attempt if it succeeds', async () => {
    await ends('cancelled');
    await ends('success');
    expect(await state()).toMatchObject({ attempt: 1, standing: { phase: 'awaiting_approval' } });
    await run.fixture.says('bob', number, '/approve');
    expect(await newestConclusion(run.fixture, await head())).toBe('success');
  });

  test('refuses the finish by name if it failed before anybody told us', async () => {
    await ends('success');
    await run.ci.says(await head(), 'failure');
    await run.fixture.says('mia', number, '/approve');
    expect(await newestConclusion(run.fixture, await head())).not.toBe('success');
    expect((await run.fixture.appComments(number)).join()).toContain('ci (build / test by github-actions)');
  });

  test('does not matter to whoever approved despite it', async () => {
    await ends('skipped');
    await run.fixture.says('mia', number, '/approve --despite ci');
    expect(await newestConclusion(run.fixture, await head())).toBe('success');
    await run.fixture.sweep();
    expect(await phase()).toBe('approved');
  });

  test('out of draft takes nothing back while it runs', async () => {
    await ends('success');
    await run.fixture.says('mia', number, '/approve');
    await run.ci.says(await head(), null);
    await run.fixture.sweep();
    expect(await newestConclusion(run.fixture, await head())).toBe('success');
  });
});
