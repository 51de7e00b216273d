import { describe, expect, test } from 'vitest';
import { readBlock } from '../../../src/github/show/block.ts';
import { aBench } from './bench.ts';
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

const bench = aBench();

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
    await bench.aPresenter().present(forged);
    expect(bench.github.check('Coxswain', base)).toMatchObject({ status: 'in_progress' });
  });

  test('starts with the first state of a run', async () => {
    await bench.aPresenter().present(queued);
    expect(bench.github.requests()).toEqual([
      `GET commits/${base}/check-runs`,
      'POST check-runs',
      'GET pulls/12',
      'PATCH issues/12',
    ]);
    expect(bench.github.pull.labels.map(({ name }) => name)).toEqual(['bug', 'coxswain', 'coxswain:queued']);
    expect(readBlock(bench.github.pull.body ?? '')?.phase).toBe('queued');
    expect(bench.github.check('Coxswain', base)).toMatchObject({
      status: 'in_progress',
      external_id: 'work:12:0',
    });
  });

  test('changes only the label while work is in progress', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(queued);
    const body = bench.github.pull.body;
    bench.github.requests();
    await presenter.present(working);
    expect(bench.github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(bench.github.pull.labels.map(({ name }) => name)).toEqual(['bug', 'coxswain', 'coxswain:working']);
    expect(bench.github.pull.body).toBe(body);
  });

  test('gives a new head its own check and completes the old one', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(working);
    bench.github.requests();
    await presenter.present(verifying);
    expect(bench.github.requests()).toEqual([
      `GET commits/${head}/check-runs`,
      'POST check-runs',
      `PATCH check-runs/${bench.github.check('Coxswain', base)?.id}`,
      'GET pulls/12',
      'PATCH issues/12',
    ]);
    expect(bench.github.check('Coxswain', base)).toMatchObject({
      conclusion: 'cancelled',
      output: { title: 'Superseded by a1b2c3d' },
    });
  });

  test('asks a human once, with verifiers, buttons, and the body last', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(verifying);
    bench.github.requests();
    await presenter.present(awaiting());
    expect(bench.github.requests()).toEqual([
      `PATCH check-runs/${bench.github.check('Coxswain', head)?.id}`,
      'POST check-runs',
      'GET issues/12/comments',
      'POST issues/12/comments',
      'GET pulls/12',
      'PATCH issues/12',
    ]);
    expect(bench.github.check('Coxswain', head)).toMatchObject({
      conclusion: 'action_required',
      external_id: 'approval:12:6',
    });
    expect(bench.github.check('Coxswain', head)?.actions?.map(({ identifier }) => identifier)).toEqual([
      'approve',
      'reject',
      'retry',
    ]);
    expect(bench.github.check('Coxswain / test', head)?.conclusion).toBe('success');
    expect(bench.github.comments[0]?.body.endsWith('\n\n<!-- coxswain:ask approval:12:6 -->')).toBe(true);
  });

  test('reads and writes nothing if only the sequence number has changed', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    bench.github.requests();
    await presenter.present(awaiting({ seq: 7 }));
    expect(bench.github.requests()).toEqual([]);
  });

  test('restores what someone removed when the same state is rendered again', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    bench.github.requests();
    bench.github.pull.body = 'All gone';
    await presenter.present(awaiting());
    expect(bench.github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(bench.github.pull.body).toMatch(/^All gone\n\n<!-- coxswain:begin -->/);
  });

  test('takes an approved run out of draft and settles its question', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    const gate = bench.github.check('Coxswain', head)?.id;
    bench.github.requests();
    await presenter.present(approved);
    expect(bench.github.requests()).toEqual([
      // A completed check run cannot be reopened: a new one replaces it.
      'POST check-runs',
      `PATCH issues/comments/${bench.github.comments[0]?.id}`,
      'GET pulls/12',
      'POST /graphql',
      'PATCH issues/12',
    ]);
    expect(bench.github.check('Coxswain', head)?.id).not.toBe(gate);
    expect(bench.github.check('Coxswain', head)?.conclusion).toBe('success');
    expect(bench.github.pull.draft).toBe(false);
    expect(bench.github.comments[0]?.body).toMatch(/^\*\*Settled:\*\* approved by grace/);
  });

  test('converts an approved run that is steered back to a draft', async () => {
    bench.github.pull.draft = false;
    await bench.aPresenter().present(aState({ seq: 12, iteration: 1 }));
    expect(bench.github.pull.draft).toBe(true);
  });

  test('closes rejected work in the same request as its labels and body', async () => {
    await bench.aPresenter().present(awaiting({ standing: { phase: 'rejected', by: 'ada', reason: 'no' } }));
    expect(bench.github.pull.state).toBe('closed');
    expect(bench.github.requests().filter((line) => line.startsWith('PATCH issues/12'))).toHaveLength(1);
  });

  test('changes only labels and block of a pull request that a human closed', async () => {
    bench.github.pull.state = 'closed';
    bench.github.pull.draft = false;
    await bench.aPresenter().present(awaiting());
    expect(bench.github.pull).toMatchObject({ state: 'closed', draft: false });
  });

  test('logs once that there are no drafts, and continues', async () => {
    bench.github.pull.draft = false;
    const message = 'Draft pull requests are not supported in this repository.';
    bench.github.failures.push({ on: 'graphql', status: 200, body: { errors: [{ message }] } });
    const presenter = bench.aPresenter();
    await presenter.present(queued);
    await presenter.present(awaiting());
    expect(bench.github.requests().filter((line) => line.includes('graphql'))).toHaveLength(1);
    expect(bench.told.join()).toContain('stays an ordinary pull request');
    expect(readBlock(bench.github.pull.body ?? '')?.phase).toBe('awaiting_approval');
  });

  test('throws GitHub’s errors unchanged', async () => {
    const message = 'Resource not accessible by integration';
    bench.github.failures.push({ on: 'POST /repos/acme/api/check-runs', status: 403, body: { message } });
    const presenter = bench.aPresenter();
    await expect(presenter.present(queued)).rejects.toMatchObject({ status: 403 });
    await presenter.present(working);
    expect(bench.github.check('Coxswain', base)?.status).toBe('in_progress');
  });
});
