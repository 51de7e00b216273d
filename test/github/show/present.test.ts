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

describe('drawing', () => {
  test('stays in its own repository, whatever the ledger says', async () => {
    const forged = { ...queued, run: { ...queued.run, owner: 'acme', repo: 'bank' } };
    await bench.aPresenter().present(forged);
    expect(bench.github.check('Coxswain', base)).toMatchObject({ status: 'in_progress' });
  });

  test('a run is drawn from its first second', async () => {
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

  test('while work goes on only the label changes', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(queued);
    const body = bench.github.pull.body;
    bench.github.requests();
    await presenter.present(working);
    expect(bench.github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(bench.github.pull.labels.map(({ name }) => name)).toEqual(['bug', 'coxswain', 'coxswain:working']);
    expect(bench.github.pull.body).toBe(body);
  });

  test('a new head gets its own check, and the former one is ended', async () => {
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

  test('a human is asked once, with verifiers, buttons, and the body last', async () => {
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

  test('when only the sequence has moved, nothing is read or written', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    bench.github.requests();
    await presenter.present(awaiting({ seq: 7 }));
    expect(bench.github.requests()).toEqual([]);
  });

  test('the same state again looks at the pull request, and mends what somebody took away', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    bench.github.requests();
    bench.github.pull.body = 'All gone';
    await presenter.present(awaiting());
    expect(bench.github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(bench.github.pull.body).toMatch(/^All gone\n\n<!-- coxswain:begin -->/);
  });

  test('an approved run leaves draft, and its question says how it ended', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    const gate = bench.github.check('Coxswain', head)?.id;
    bench.github.requests();
    await presenter.present(approved);
    expect(bench.github.requests()).toEqual([
      // A completed check run is not taken back: a new one replaces it.
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

  test('a steer takes an approved run back to work as a draft', async () => {
    bench.github.pull.draft = false;
    await bench.aPresenter().present(aState({ seq: 12, iteration: 1 }));
    expect(bench.github.pull.draft).toBe(true);
  });

  test('rejected work is closed in the same call as its labels and body', async () => {
    await bench.aPresenter().present(awaiting({ standing: { phase: 'rejected', by: 'ada', reason: 'no' } }));
    expect(bench.github.pull.state).toBe('closed');
    expect(bench.github.requests().filter((line) => line.startsWith('PATCH issues/12'))).toHaveLength(1);
  });

  test('a pull request that a human closed is not touched but for its labels and block', async () => {
    bench.github.pull.state = 'closed';
    bench.github.pull.draft = false;
    await bench.aPresenter().present(awaiting());
    expect(bench.github.pull).toMatchObject({ state: 'closed', draft: false });
  });

  test('where there are no drafts, it says so once and goes on', async () => {
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

  test('what GitHub refuses is thrown as it is', async () => {
    const message = 'Resource not accessible by integration';
    bench.github.failures.push({ on: 'POST /repos/acme/api/check-runs', status: 403, body: { message } });
    const presenter = bench.aPresenter();
    await expect(presenter.present(queued)).rejects.toMatchObject({ status: 403 });
    await presenter.present(working);
    expect(bench.github.check('Coxswain', base)?.status).toBe('in_progress');
  });
});
