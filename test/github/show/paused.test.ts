import { expect, test } from 'vitest';
import { showPaused } from '../../../src/github/show/withhold.ts';
import { anOctokit } from './github.ts';
import { presenterFixture } from './presenter-fixture.ts';
import { anApproval, awaiting, head } from './state.ts';

const fixture = presenterFixture();

const target = {
  octokit: anOctokit(),
  own: { login: 'coxswain[bot]', app: { id: 1 } },
  secrets: [],
  log: { info: () => undefined, warn: () => undefined },
  clock: { now: () => new Date() },
  run: {
    ...{ id: 'acme/api#12', owner: 'acme', repo: 'api', number: 12, repository_id: 77 },
    presenter: 'app' as const,
  },
};

test('an approved run whose ledger is lost can no longer be merged', async () => {
  const finished = { phase: 'approved', finish: 'finished' } as const;
  const approved = awaiting({ approvals: [anApproval()], standing: finished });
  await fixture.createPresenter().present(approved);
  expect(fixture.github.check('Coxswain', head)?.conclusion).toBe('success');
  fixture.github.pull.auto_merge = { enabled_by: { login: 'ada' } };
  const { body } = fixture.github.pull;
  await showPaused(target);
  expect(fixture.github.check('Coxswain', head)).toMatchObject({
    conclusion: 'cancelled',
    output: { title: 'The ledger of this run is lost' },
  });
  expect(fixture.github.check('Coxswain / test', head)?.conclusion).toBe('success');
  expect(fixture.github.pull).toMatchObject({ draft: true, auto_merge: null, body });
  expect(fixture.github.pull.labels.map(({ name }) => name)).toContain('coxswain:paused');
});

test('a run that is shown as paused already is only looked at', async () => {
  fixture.github.pull.head.sha = head;
  await showPaused(target);
  fixture.github.requests();
  await showPaused(target);
  expect(fixture.github.requests()).toEqual(['GET pulls/12', `GET commits/${head}/check-runs`]);
});
