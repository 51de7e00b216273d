import { describe, expect, test } from 'vitest';
import { readBlock } from '../../../src/github/show/block.ts';
import { presenterFixture } from './presenter-fixture.ts';
import {
  anApproval,
  anInteraction,
  aState,
  awaiting,
  base,
  head,
  queued,
  verifying,
  working,
} from './state.ts';

const fixture = presenterFixture();

const settled = { ...anInteraction(), settled_at: 'T', by: 'grace', how: 'approved' };
const approved = awaiting({
  seq: 9,
  approvals: [anApproval()],
  interactions: [settled],
  standing: { phase: 'approved', finish: 'finished' },
});

describe('rendering', () => {
  test('stays in its own repository, whatever the ledger contains', async () => {
    const forged = { ...queued, run: { ...queued.run, owner: 'acme', repo: 'bank' } };
    await fixture.createPresenter().present(forged);
    expect(fixture.github.check('Coxswain', base)).toMatchObject({ status: 'in_progress' });
  });

  test('starts with the first state of a run', async () => {
    await fixture.createPresenter().present(queued);
    expect(fixture.github.requests()).toEqual([
      'GET pulls/12',
      `GET commits/${base}/check-runs`,
      'POST check-runs',
      'PATCH issues/12',
    ]);
    expect(fixture.github.pull.labels.map(({ name }) => name)).toEqual([
      'bug',
      'coxswain',
      'coxswain:queued',
    ]);
    expect(readBlock(fixture.github.pull.body ?? '')?.phase).toBe('queued');
    expect(fixture.github.check('Coxswain', base)).toMatchObject({
      status: 'in_progress',
      external_id: 'work:12:0',
    });
  });

  test('changes only the label while work is in progress', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(queued);
    const body = fixture.github.pull.body;
    fixture.github.requests();
    await presenter.present(working);
    expect(fixture.github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(fixture.github.pull.labels.map(({ name }) => name)).toEqual([
      'bug',
      'coxswain',
      'coxswain:working',
    ]);
    expect(fixture.github.pull.body).toBe(body);
  });

  test('gives a new head its own check and completes the old one', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(working);
    fixture.github.requests();
    await presenter.present(verifying);
    expect(fixture.github.requests()).toEqual([
      'GET pulls/12',
      `GET commits/${head}/check-runs`,
      `PATCH check-runs/${fixture.github.check('Coxswain', base)?.id}`,
      'POST check-runs',
      'PATCH issues/12',
    ]);
    expect(fixture.github.check('Coxswain', base)).toMatchObject({
      conclusion: 'cancelled',
      output: { title: 'Superseded by a1b2c3d' },
    });
  });

  test('asks a human once, with verifiers, buttons, and the body last', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(verifying);
    fixture.github.requests();
    await presenter.present(awaiting());
    expect(fixture.github.requests()).toEqual([
      'GET pulls/12',
      `PATCH check-runs/${fixture.github.check('Coxswain', head)?.id}`,
      'POST check-runs',
      'GET issues/12/comments',
      'POST issues/12/comments',
      'PATCH issues/12',
    ]);
    expect(fixture.github.check('Coxswain', head)).toMatchObject({
      conclusion: 'action_required',
      external_id: 'approval:12:6',
    });
    expect(fixture.github.check('Coxswain', head)?.actions?.map(({ identifier }) => identifier)).toEqual([
      'approve',
      'reject',
      'retry',
    ]);
    expect(fixture.github.check('Coxswain / test', head)?.conclusion).toBe('success');
    expect(fixture.github.comments[0]?.body.endsWith('\n\n<!-- coxswain:ask approval:12:6 -->')).toBe(true);
  });

  test('reads and writes nothing if only the sequence number has changed', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    fixture.github.requests();
    await presenter.present(awaiting({ seq: 7 }));
    expect(fixture.github.requests()).toEqual([]);
  });

  test('restores what someone removed when the same state is rendered again', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    fixture.github.requests();
    fixture.github.pull.body = 'All gone';
    await presenter.present(awaiting());
    expect(fixture.github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(fixture.github.pull.body).toMatch(/^All gone\n\n<!-- coxswain:begin -->/);
  });

  test('takes an approved run out of draft and settles its question', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    const gate = fixture.github.check('Coxswain', head)?.id;
    fixture.github.requests();
    await presenter.present(approved);
    expect(fixture.github.requests()).toEqual([
      'GET pulls/12',
      // A completed check run cannot be reopened: a new one replaces it.
      'POST check-runs',
      `PATCH issues/comments/${fixture.github.comments[0]?.id}`,
      'POST /graphql',
      'PATCH issues/12',
    ]);
    expect(fixture.github.check('Coxswain', head)?.id).not.toBe(gate);
    expect(fixture.github.check('Coxswain', head)?.conclusion).toBe('success');
    expect(fixture.github.pull.draft).toBe(false);
    expect(fixture.github.comments[0]?.body).toMatch(/^\*\*Settled:\*\* approved by grace/);
  });

  test('converts an approved run that is steered back to a draft', async () => {
    fixture.github.pull.draft = false;
    await fixture.createPresenter().present(aState({ seq: 12, iteration: 1 }));
    expect(fixture.github.pull.draft).toBe(true);
  });

  test('never closes a pull request: rejected work that was reopened stays open', async () => {
    const rejected = awaiting({ standing: { phase: 'rejected', by: 'ada', reason: 'no' } });
    const presenter = fixture.createPresenter();
    await presenter.close(rejected);
    expect(fixture.github.pull.state).toBe('closed');
    fixture.github.pull.state = 'open';
    await presenter.present(rejected);
    expect(fixture.github.pull).toMatchObject({ state: 'open', draft: true });
  });

  test('changes only labels and block of a pull request that a human closed', async () => {
    fixture.github.pull.state = 'closed';
    fixture.github.pull.draft = false;
    await fixture.createPresenter().present(awaiting());
    expect(fixture.github.pull).toMatchObject({ state: 'closed', draft: false });
  });

  test('leaves labels alone that are right but for a capital, which GitHub keeps', async () => {
    await fixture.createPresenter().present(awaiting());
    fixture.github.pull.labels = [{ name: 'Coxswain' }, { name: 'COXSWAIN:awaiting_approval' }];
    fixture.github.requests();
    await fixture.createPresenter().present(awaiting());
    expect(fixture.github.requests().filter((line) => line.startsWith('PATCH'))).toEqual([]);
  });

  test('logs once that there are no drafts, and continues', async () => {
    fixture.github.pull.draft = false;
    const message = 'Draft pull requests are not supported in this repository.';
    fixture.github.failures.push({ on: 'graphql', status: 200, body: { errors: [{ message }] } });
    const presenter = fixture.createPresenter();
    await presenter.present(queued);
    await presenter.present(awaiting());
    expect(fixture.github.requests().filter((line) => line.includes('graphql'))).toHaveLength(1);
    expect(fixture.log.join()).toContain('stays an ordinary pull request');
    expect(readBlock(fixture.github.pull.body ?? '')?.phase).toBe('awaiting_approval');
  });

  test('throws GitHub’s errors unchanged', async () => {
    const message = 'Resource not accessible by integration';
    fixture.github.failures.push({ on: 'POST /repos/acme/api/check-runs', status: 403, body: { message } });
    const presenter = fixture.createPresenter();
    await expect(presenter.present(queued)).rejects.toMatchObject({ status: 403 });
    await presenter.present(working);
    expect(fixture.github.check('Coxswain', base)?.status).toBe('in_progress');
  });
});
