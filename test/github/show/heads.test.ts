import { describe, expect, test } from 'vitest';
import { presenterFixture } from './presenter-fixture.ts';
import { anApproval, anInteraction, aState, awaiting, base, head, nextHead, shownAt } from './state.ts';

const fixture = presenterFixture();

/** A commit that is not the head of the pull request. */
const elsewhere = 'f0'.repeat(20);

const finished = { phase: 'approved', finish: 'finished' } as const;
const approved = awaiting({ seq: 9, approvals: [anApproval()], standing: finished });

/** The names of all check runs on a commit. */
function drawnOn(commit: string): readonly string[] {
  return fixture.github.checks.filter(({ head_sha }) => head_sha === commit).map(({ name }) => name);
}

describe('a head in the ledger that is not the head on GitHub', () => {
  test.each([
    ['waits', awaiting({ head: elsewhere, shown: shownAt(elsewhere) })],
    ['is approved', { ...approved, head: elsewhere, shown: shownAt(elsewhere) }],
    ['has ended', { ...approved, head: elsewhere, standing: { phase: 'done', merged: true } as const }],
  ])('gets no check run if the run %s', async (_, state) => {
    fixture.moves = false;
    fixture.github.pull.head.sha = head;
    await fixture.createPresenter({ headWaitsMs: [0, 0] }).present(state);
    expect(drawnOn(elsewhere)).toEqual([]);
    expect(drawnOn(head)).toEqual([]);
  });

  test('gets no check run of a verifier, even under a real head', async () => {
    await fixture.createPresenter().present(awaiting({ shown: shownAt(elsewhere) }));
    expect(drawnOn(elsewhere)).toEqual([]);
    expect(drawnOn(head)).toEqual(['Coxswain']);
  });

  test('does not take the pull request out of draft', async () => {
    fixture.moves = false;
    fixture.github.pull.head.sha = elsewhere;
    await fixture.createPresenter({ headWaitsMs: [0] }).present(approved);
    expect(fixture.github.pull.draft).toBe(true);
  });

  test('is drawn as soon as GitHub shows our own push', async () => {
    fixture.moves = false;
    fixture.github.pull.head.sha = base;
    let reads = 0;
    fixture.github.meanwhile = (line) => {
      if (line === 'GET /repos/acme/api/pulls/12' && ++reads === 3) fixture.github.pull.head.sha = head;
    };
    await fixture.createPresenter({ headWaitsMs: [0, 0, 0] }).present(awaiting());
    expect(drawnOn(head)).toEqual(['Coxswain', 'Coxswain / test']);
  });
});

describe('a former head', () => {
  const interaction = anInteraction({ id: 'approval:12:11', head_sha: nextHead });
  const standing = { phase: 'awaiting_approval', interaction, deadline: 'T' } as const;
  const moved = awaiting({ seq: 11, head: nextHead, shown: shownAt(nextHead), standing });

  test.each([
    ['green', approved],
    ['waiting', awaiting()],
  ])('has its %s check run replaced by a cancelled one', async (_, before) => {
    const presenter = fixture.createPresenter();
    await presenter.present(before);
    const former = fixture.github.check('Coxswain', head);
    await presenter.present(moved);
    const newest = fixture.github.check('Coxswain', head);
    expect(newest?.conclusion).toBe('cancelled');
    expect(newest?.id).not.toBe(former?.id);
    expect(newest?.output.text).toMatch(/<!-- coxswain:seq 11 [0-9a-f]{40} -->$/);
  });

  test('loses its green check run also to a process that did not draw it', async () => {
    await fixture.createPresenter().present(approved);
    await fixture.createPresenter().present({ ...moved, iterations: approved.iterations });
    expect(fixture.github.check('Coxswain', head)?.conclusion).toBe('cancelled');
  });

  test('that GitHub no longer has does not keep the run from being drawn', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(approved);
    const message = `No commit found for SHA: ${head}`;
    fixture.github.failures.push({ on: 'POST /repos/acme/api/check-runs', status: 422, body: { message } });
    await presenter.present(moved);
    expect(drawnOn(nextHead)).toEqual(['Coxswain', 'Coxswain / test']);
  });

  test('loses its green check run to a push that the ledger does not have yet', async () => {
    const presenter = fixture.createPresenter({ headWaitsMs: [0] });
    await presenter.present(approved);
    fixture.moves = false;
    fixture.github.pull.head.sha = nextHead;
    await presenter.present({ ...approved, seq: 10, standing: { phase: 'done', merged: false } });
    expect(fixture.github.check('Coxswain', head)?.conclusion).toBe('cancelled');
  });
});

test('a check run that another base earned is replaced on the current head', async () => {
  await fixture.createPresenter().present(approved);
  const earned = fixture.github.check('Coxswain', head);
  Object.assign(earned ?? {}, { name: 'Coxswain (release)' });
  await fixture.createPresenter().present(approved);
  expect(fixture.github.check('Coxswain (release)', head)?.conclusion).toBe('cancelled');
  expect(fixture.github.check('Coxswain', head)?.conclusion).toBe('success');
});

describe('the number of the ledger', () => {
  test('stands at the end of every decision', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(aState());
    const line = /<!-- coxswain:seq 3 [0-9a-f]{40} -->$/;
    expect(fixture.github.check('Coxswain', base)?.output.text).toMatch(line);
  });

  test('does not make a check run be written again', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(awaiting());
    fixture.github.requests();
    await presenter.present(awaiting({ seq: 7 }));
    await fixture.createPresenter().present(awaiting({ seq: 7 }));
    expect(
      fixture.github.requests().filter((line) => line.includes('POST') || line.includes('PATCH')),
    ).toEqual([]);
  });
});
