import { describe, expect, test } from 'vitest';
import { readBlock, writeBlock } from '../../../src/github/show/block.ts';
import { aBench } from './bench.ts';
import { anInteraction, aState, awaiting, base, head, queued, verifying, working } from './state.ts';

const bench = aBench();

describe('a process that starts anew', () => {
  test('finds what an earlier one has drawn, and writes none of it twice', async () => {
    await bench.aPresenter().present(awaiting());
    bench.github.requests();
    await bench.aPresenter().present(awaiting());
    expect(bench.github.requests()).toEqual([
      `GET commits/${head}/check-runs`,
      `GET commits/${base}/check-runs`,
      'GET issues/12/comments',
      'GET pulls/12',
    ]);
  });

  test('ends what a former head was left with', async () => {
    await bench.aPresenter().present(working);
    await bench.aPresenter().present(awaiting());
    expect(bench.github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('does not take the check runs of others for its own', async () => {
    const output = { title: 'x', summary: 'x' };
    const common = { name: 'Coxswain', head_sha: base, status: 'completed', conclusion: 'success', output };
    bench.github.checks.push(
      { ...common, id: 1, external_id: 'work:12:0', app: { slug: 'github-actions' } },
      { ...common, id: 2, external_id: 'work:99:0', app: { slug: 'coxswain' } },
      { ...common, id: 3, external_id: '8f14e45f-ceea', app: { slug: 'coxswain' } },
    );
    await bench.aPresenter().present(working);
    expect(bench.github.checks.filter(({ id }) => id > 3)).toHaveLength(1);
  });

  test('does not take a marker in somebody else’s comment for its own', async () => {
    bench.github.comments.push({
      id: 5,
      user: { login: 'eve' },
      body: 'x\n\n<!-- coxswain:ask approval:12:6 -->',
    });
    await bench.aPresenter().present(awaiting());
    expect(bench.github.comments).toHaveLength(2);
  });
});

describe('two that draw', () => {
  test('a newer block is left alone, and what the ledger has by then is drawn', async () => {
    bench.github.pull.body = writeBlock('Text', awaiting({ seq: 8 }));
    bench.ledger = awaiting({ seq: 8 });
    await bench.aPresenter().present(aState({ seq: 5 }));
    expect(readBlock(bench.github.pull.body)?.seq).toBe(8);
    expect(bench.github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
    expect(bench.github.check('Coxswain', head)?.conclusion).toBe('action_required');
  });

  test('a block that claims more than the ledger has is drawn over', async () => {
    bench.github.pull.body = writeBlock('Text', awaiting({ seq: 4000 }));
    bench.ledger = awaiting({ seq: 6 });
    await bench.aPresenter().present(awaiting());
    expect(readBlock(bench.github.pull.body)?.seq).toBe(6);
  });

  test('a ledger that moved during the drawing is drawn again', async () => {
    bench.ledger = awaiting();
    await bench.aPresenter().present(working);
    expect(bench.github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
  });

  test('what another process drew in between is read again', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    // Another process: a steer, and its work.
    await bench.aPresenter().present(aState({ seq: 7, head, iteration: 1, shown: null }));
    const interaction = anInteraction({ id: 'approval:12:10' });
    await presenter.present(
      awaiting({ seq: 10, standing: { phase: 'awaiting_approval', interaction, deadline: 'T' } }),
    );
    expect(bench.github.check('Coxswain', head)?.conclusion).toBe('action_required');
  });
});

describe('phases that are over in a moment', () => {
  test('are not drawn when something newer has come', async () => {
    const presenter = bench.aPresenter({ drawAfterMs: 60_000 });
    await presenter.present(queued);
    bench.github.requests();
    const passing = presenter.present(working);
    const later = presenter.present(verifying);
    await presenter.present(awaiting());
    await Promise.all([passing, later]);
    expect(bench.github.requests().filter((line) => line === 'PATCH issues/12')).toHaveLength(1);
    expect(bench.github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('are drawn at once when the process is to end', async () => {
    const presenter = bench.aPresenter({ drawAfterMs: 60_000 });
    await presenter.present(queued);
    const passing = presenter.present(working);
    await presenter.flush();
    await passing;
    expect(bench.github.pull.labels.map(({ name }) => name)).toContain('coxswain:working');
  });

  test('an older state after a newer one is not drawn', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    bench.github.requests();
    await presenter.present(working);
    expect(bench.github.requests()).toEqual([]);
  });
});
