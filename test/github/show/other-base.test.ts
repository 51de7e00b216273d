import { expect, test } from 'vitest';
import { viewOf } from '../../../src/github/show/view.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { presenterFixture } from './presenter-fixture.ts';
import { anApproval, aState, awaiting, head, web } from './state.ts';

const fixture = presenterFixture();

const approved = awaiting({
  seq: 9,
  approvals: [anApproval()],
  standing: { phase: 'approved', finish: 'finished' },
});

/** The same run after someone has changed its base. */
function into(base: string, check: string, changed: Partial<State> = {}): State {
  const { run, settings } = approved;
  const queued = { phase: 'queued', work: 'verify_head' } as const;
  const moved = { run: { ...run, base }, settings: { ...settings, check } };
  return awaiting({ seq: 10, shown: null, approvals: [], standing: queued, ...moved, ...changed });
}

const easy = into('easy', 'Coxswain (unlisted: easy)');

test('the checks are named for the base', () => {
  const state = awaiting({ settings: { ...aState().settings, check: 'Coxswain (release)' } });
  const names = viewOf(state, web).checks.map(({ name }) => name);
  expect(names).toEqual(['Coxswain (release)', 'Coxswain (release) / test']);
});

test.each(['by the same process', 'by another one'])(
  'a check for a former base is replaced %s',
  async (by) => {
    const presenter = fixture.createPresenter();
    await presenter.present(approved);
    expect(fixture.github.check('Coxswain', head)).toMatchObject({ conclusion: 'success' });
    await (by === 'by another one' ? fixture.createPresenter() : presenter).present(easy);
    expect(fixture.github.check('Coxswain', head)).toMatchObject({
      conclusion: 'cancelled',
      output: { title: 'The base is now easy' },
    });
    expect(fixture.github.check(easy.settings.check, head)).toMatchObject({ status: 'in_progress' });
    // It says what the verifiers of that base found, which is still true.
    expect(fixture.github.check('Coxswain / test', head)).toMatchObject({ conclusion: 'success' });
  },
);

test('back on the former base, its check starts anew', async () => {
  const presenter = fixture.createPresenter();
  await presenter.present(approved);
  await presenter.present(easy);
  await presenter.present(into('main', 'Coxswain', { seq: 11 }));
  expect(fixture.github.check('Coxswain', head)).toMatchObject({ status: 'in_progress' });
  expect(fixture.github.check(easy.settings.check, head)).toMatchObject({ conclusion: 'cancelled' });
});

test('what let the pull request pass before it was a run is replaced, for every base', async () => {
  const pass = { head_sha: head, external_id: 'other:12', status: 'completed', conclusion: 'success' };
  for (const name of ['Coxswain', 'Coxswain (release)']) fixture.github.addCheck({ name, ...pass });
  await fixture.createPresenter().present(awaiting());
  expect(fixture.github.check('Coxswain', head)).toMatchObject({ conclusion: 'action_required' });
  expect(fixture.github.check('Coxswain (release)', head)).toMatchObject({ conclusion: 'cancelled' });
});
