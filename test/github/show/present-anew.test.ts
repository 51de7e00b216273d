import { describe, expect, test } from 'vitest';
import { readBlock, writeBlock } from '../../../src/github/show/block.ts';
import { aBench } from './bench.ts';
import { anInteraction, aState, awaiting, base, head, queued, verifying, working } from './state.ts';

const bench = aBench();

describe('a new process', () => {
  test('finds what an earlier one has rendered, and writes nothing twice', async () => {
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

  test('completes the check run of an earlier head', async () => {
    await bench.aPresenter().present(working);
    await bench.aPresenter().present(awaiting());
    expect(bench.github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('ignores the check runs of others', async () => {
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

  test('ignores a marker in someone else’s comment', async () => {
    bench.github.comments.push({
      id: 5,
      user: { login: 'eve' },
      body: 'x\n\n<!-- coxswain:ask approval:12:6 -->',
    });
    await bench.aPresenter().present(awaiting());
    expect(bench.github.comments).toHaveLength(2);
  });
});

describe('two processes that render', () => {
  test('leave a newer block alone and render the current state of the ledger', async () => {
    bench.github.pull.body = writeBlock('Text', awaiting({ seq: 8 }));
    bench.ledger = awaiting({ seq: 8 });
    await bench.aPresenter().present(aState({ seq: 5 }));
    expect(readBlock(bench.github.pull.body)?.seq).toBe(8);
    expect(bench.github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
    expect(bench.github.check('Coxswain', head)?.conclusion).toBe('action_required');
  });

  test('overwrite a block that claims to be newer than the ledger', async () => {
    bench.github.pull.body = writeBlock('Text', awaiting({ seq: 4000 }));
    bench.ledger = awaiting({ seq: 6 });
    await bench.aPresenter().present(awaiting());
    expect(readBlock(bench.github.pull.body)?.seq).toBe(6);
  });

  test('render again if the ledger changed during rendering', async () => {
    bench.ledger = awaiting();
    await bench.aPresenter().present(working);
    expect(bench.github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
  });

  test('read again what the other rendered in between', async () => {
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

describe('phases that end at once', () => {
  test('are not rendered if something newer has arrived', async () => {
    const presenter = bench.aPresenter({ renderAfterMs: 60_000 });
    await presenter.present(queued);
    bench.github.requests();
    const passing = presenter.present(working);
    const later = presenter.present(verifying);
    await presenter.present(awaiting());
    await Promise.all([passing, later]);
    expect(bench.github.requests().filter((line) => line === 'PATCH issues/12')).toHaveLength(1);
    expect(bench.github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('are rendered at once when the process stops', async () => {
    const presenter = bench.aPresenter({ renderAfterMs: 60_000 });
    await presenter.present(queued);
    const passing = presenter.present(working);
    await presenter.flush();
    await passing;
    expect(bench.github.pull.labels.map(({ name }) => name)).toContain('coxswain:working');
  });

  test('are not rendered after a newer state', async () => {
    const presenter = bench.aPresenter();
    await presenter.present(awaiting());
    bench.github.requests();
    await presenter.present(working);
    expect(bench.github.requests()).toEqual([]);
  });
});
