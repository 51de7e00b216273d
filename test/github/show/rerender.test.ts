import { describe, expect, test } from 'vitest';
import { readBlock, writeBlock } from '../../../src/github/show/block.ts';
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

describe('a new process', () => {
  test('finds what an earlier one has rendered, and writes nothing twice', async () => {
    await fixture.createPresenter().present(awaiting());
    fixture.github.requests();
    await fixture.createPresenter().present(awaiting());
    expect(fixture.github.requests()).toEqual([
      'GET pulls/12',
      `GET commits/${head}/check-runs`,
      `GET commits/${base}/check-runs`,
      'GET issues/12/comments',
    ]);
  });

  test('completes the check run of an earlier head', async () => {
    await fixture.createPresenter().present(working);
    await fixture.createPresenter().present(awaiting());
    expect(fixture.github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('ignores the check runs of others', async () => {
    const output = { title: 'x', summary: 'x' };
    const common = { name: 'Coxswain', head_sha: base, status: 'completed', conclusion: 'success', output };
    fixture.github.checks.push(
      { ...common, id: 1, external_id: 'work:12:0', app: { id: 2, slug: 'github-actions' } },
      { ...common, id: 2, external_id: 'work:99:0', app: { id: 1, slug: 'coxswain' } },
      { ...common, id: 3, external_id: '8f14e45f-ceea', app: { id: 1, slug: 'coxswain' } },
    );
    await fixture.createPresenter().present(working);
    expect(fixture.github.checks.filter(({ id }) => id > 3)).toHaveLength(1);
  });

  test('leaves the record of a click alone, even if its name is that of a check', async () => {
    const record = { status: 'completed', conclusion: 'neutral', external_id: 'click:12:8:approve:1' };
    const output = { title: '', summary: '' };
    const app = { id: 1, slug: 'coxswain' };
    const mine = { id: 9, name: 'Coxswain / test', head_sha: head, ...record, output, app };
    fixture.github.checks.push(mine);
    await fixture.createPresenter().present(awaiting());
    expect(fixture.github.checks.find(({ id }) => id === 9)).toMatchObject(record);
    expect(fixture.github.check('Coxswain / test', head)?.external_id).toMatch(/^verifier:/);
  });

  test('gives every interaction a check run of its own, because its buttons belong to it', async () => {
    await fixture.createPresenter().present(awaiting());
    const first = fixture.github.check('Coxswain', head);
    const interaction = anInteraction({ id: 'approval:12:9' });
    const again = awaiting({ seq: 9 });
    if (again.standing.phase !== 'awaiting_approval') throw new Error('nobody is asked');
    await fixture.createPresenter().present({ ...again, standing: { ...again.standing, interaction } });
    expect(first?.external_id).toBe(anInteraction().id);
    expect(fixture.github.check('Coxswain', head)).toMatchObject({ external_id: 'approval:12:9' });
    expect(fixture.github.check('Coxswain', head)?.id).not.toBe(first?.id);
  });

  test('ignores a marker in someone else’s comment', async () => {
    fixture.github.comments.push({
      id: 5,
      user: { login: 'eve' },
      body: 'x\n\n<!-- coxswain:ask approval:12:6 -->',
    });
    await fixture.createPresenter().present(awaiting());
    expect(fixture.github.comments).toHaveLength(2);
  });
});

test('a check run whose creation was not confirmed is not created again', async () => {
  const presenter = fixture.createPresenter();
  const lost = { status: 502, body: { message: 'Server Error' }, processed: true } as const;
  fixture.github.failures.push({ on: 'POST /repos/acme/api/check-runs', ...lost });
  await expect(presenter.present(awaiting())).rejects.toThrow();
  await presenter.present(awaiting());
  const names = fixture.github.checks.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names).not.toEqual([]);
});

describe('two processes that render', () => {
  test('leave a newer block alone and render the current state of the ledger', async () => {
    fixture.github.pull.body = writeBlock('Text', awaiting({ seq: 8 }));
    fixture.ledger = awaiting({ seq: 8 });
    await fixture.createPresenter().present(aState({ seq: 5 }));
    expect(readBlock(fixture.github.pull.body)?.seq).toBe(8);
    expect(fixture.github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
    expect(fixture.github.check('Coxswain', head)?.conclusion).toBe('action_required');
  });

  test('overwrite a block that claims to be newer than the ledger', async () => {
    fixture.github.pull.body = writeBlock('Text', awaiting({ seq: 4000 }));
    fixture.ledger = awaiting({ seq: 6 });
    await fixture.createPresenter().present(awaiting());
    expect(readBlock(fixture.github.pull.body)?.seq).toBe(6);
  });

  test('render again if the ledger changed during rendering', async () => {
    fixture.ledger = awaiting();
    await fixture.createPresenter().present(working);
    expect(fixture.github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
  });

  test('read again what the other rendered in between', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    // Another process: a steer, and its work.
    await fixture.createPresenter().present(aState({ seq: 7, head, iteration: 1, shown: null }));
    const interaction = anInteraction({ id: 'approval:12:10' });
    await presenter.present(
      awaiting({ seq: 10, standing: { phase: 'awaiting_approval', interaction, deadline: 'T' } }),
    );
    expect(fixture.github.check('Coxswain', head)?.conclusion).toBe('action_required');
  });
});

test('a question that another process has posted first is deleted as soon as that process is known of', async () => {
  const others = { present: false };
  const presenter = fixture.createPresenter({ others });
  const { github } = fixture;
  const asked = (): readonly number[] => github.comments.map(({ id }) => id);
  // The other one posts after we looked and before our request arrives.
  github.meanwhile = (line) => {
    if (!line.startsWith('POST') || !line.endsWith('/comments') || github.comments.length > 0) return;
    github.addComment('Approve?\n\n<!-- coxswain:ask approval:12:6 -->');
  };
  await presenter.present(awaiting());
  const [first] = asked();
  expect(asked()).toHaveLength(2);
  others.present = true;
  await presenter.present(awaiting({ seq: 7 }));
  expect(asked()).toEqual([first]);
  await presenter.present(awaiting({ seq: 8 }));
  expect(asked()).toEqual([first]);
});

test('a check run says when it was completed, because GitHub need not know', async () => {
  const presenter = fixture.createPresenter();
  await presenter.present(verifying);
  expect(fixture.github.check('Coxswain', head)).not.toHaveProperty('completed_at');
  await presenter.present(awaiting());
  const completed_at = '2026-11-21T10:00:00.000Z';
  expect(fixture.github.check('Coxswain', head)).toMatchObject({ status: 'completed', completed_at });
  expect(fixture.github.check('Coxswain / test', head)).toMatchObject({ status: 'completed', completed_at });
});

describe('a question', () => {
  const onPost = 'POST /repos/acme/api/issues/12/comments';

  test('that could not be posted for a while is posted at the next try, before the body', async () => {
    const presenter = fixture.createPresenter();
    fixture.github.failures.push({ on: onPost, status: 502, body: { message: 'Server Error' } });
    await expect(presenter.present(awaiting())).rejects.toThrow('502');
    expect(readBlock(fixture.github.pull.body ?? '')).toBeUndefined();
    await presenter.present(awaiting());
    expect(fixture.github.comments).toHaveLength(1);
    expect(readBlock(fixture.github.pull.body ?? '')?.phase).toBe('awaiting_approval');
  });

  test('is posted although the body cannot be written', async () => {
    const on = 'PATCH /repos/acme/api/issues/12';
    fixture.github.failures.push({ on, status: 422, body: { message: 'Validation Failed' } });
    await expect(fixture.createPresenter().present(awaiting())).rejects.toThrow('422');
    expect(fixture.github.comments).toHaveLength(1);
  });

  test('that someone has deleted is posted again when its text changes', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    fixture.github.comments.splice(0);
    const on = 'PATCH /repos/acme/api/issues/comments/';
    fixture.github.failures.push({ on, status: 404, body: { message: 'Not Found' } });
    await presenter.present(awaiting({ seq: 7, task: { ...aState().task, title: 'Fix it' } }));
    expect(fixture.github.comments).toHaveLength(1);
  });

  test('whose edit is refused is left, and logged once', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    const settled = { ...anInteraction(), settled_at: 'T', by: 'grace', how: 'approved' };
    const standing = { phase: 'approved', finish: 'finished' } as const;
    const approved = awaiting({ seq: 9, standing, approvals: [anApproval()], interactions: [settled] });
    const on = 'PATCH /repos/acme/api/issues/comments/';
    const refusal = { on, status: 403, body: { message: 'This conversation is locked.' } };
    fixture.github.failures.push(refusal, refusal);
    await presenter.present(approved);
    await presenter.present({ ...approved, seq: 10 });
    expect(fixture.github.pull.draft).toBe(false);
    expect(fixture.log.filter((line) => line.includes('settled'))).toHaveLength(1);
    expect(fixture.github.failures).toHaveLength(1);
  });
});

describe('phases that end at once', () => {
  test('are not rendered if something newer has arrived', async () => {
    const presenter = fixture.createPresenter({ renderAfterMs: 60_000 });
    await presenter.present(queued);
    fixture.github.requests();
    const passing = presenter.present(working);
    const later = presenter.present(verifying);
    await presenter.present(awaiting());
    await Promise.all([passing, later]);
    expect(fixture.github.requests().filter((line) => line === 'PATCH issues/12')).toHaveLength(1);
    expect(fixture.github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('are rendered at once when the process stops', async () => {
    const presenter = fixture.createPresenter({ renderAfterMs: 60_000 });
    await presenter.present(queued);
    const passing = presenter.present(working);
    await presenter.flush();
    await passing;
    expect(fixture.github.pull.labels.map(({ name }) => name)).toContain('coxswain:working');
  });

  test('are not rendered after a newer state', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    fixture.github.requests();
    await presenter.present(working);
    expect(fixture.github.requests()).toEqual([]);
  });
});
