import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/github/octokit/connect.ts';
import { createRateLimiter, type Priority } from '../../../src/github/octokit/rate-limiter.ts';
import { presenterFixture } from './presenter-fixture.ts';
import { awaiting, queued, web, working } from './state.ts';

const fixture = presenterFixture();

describe('a message to a person', () => {
  const words = { say: 'queued', place: 1 } as const;
  const reply = { id: 'comment:9@x:reply', do: 'reply', words, to: 'ada' } as const;

  test('comes after all other writes if it is for a stranger', async () => {
    const asked: Priority[] = [];
    const pace = createRateLimiter();
    const enter = (priority: Priority) => {
      asked.push(priority);
      return pace.enter(priority);
    };
    const octokit = connect({
      ...{ token: 'token', baseUrl: 'https://api.github.com' },
      pace: { ...pace, waitingWrites: 0, quiet: (until) => pace.quiet(until), enter },
    });
    const presenter = fixture.createPresenter({ octokit });
    await presenter.send({ ...reply, last: true }, working);
    await presenter.send({ ...reply, id: 'comment:8@x:reply' }, working);
    expect(asked.filter((priority) => priority !== 'read')).toEqual(['last', 'write']);
  });

  test('is posted once, however often and by however many processes it is sent', async () => {
    const presenter = fixture.createPresenter();
    await Promise.all([presenter.send(reply, working), presenter.send(reply, working)]);
    await presenter.send(reply, working);
    await fixture.createPresenter().send(reply, working);
    expect(fixture.github.comments).toHaveLength(1);
    expect(fixture.github.comments[0]?.body).toMatch(
      /^@ada: Queued as steer 1\. .*\n\n<!-- coxswain:reply comment:9@x:reply -->$/,
    );
  });

  test('is looked for first if it is unknown whether it was posted', async () => {
    fixture.github.failures.push({
      on: 'POST /repos/acme/api/issues/12/comments',
      status: 502,
      body: { message: 'Bad gateway' },
    });
    const presenter = fixture.createPresenter();
    await expect(presenter.send(reply, working)).rejects.toMatchObject({ status: 502 });
    // GitHub had accepted it nevertheless.
    fixture.github.comments.push({
      id: 7,
      user: { login: 'coxswain[bot]' },
      body: 'x\n\n<!-- coxswain:reply comment:9@x:reply -->',
    });
    await presenter.send(reply, working);
    expect(fixture.github.comments).toHaveLength(1);
  });

  test('fits into a comment even with a very long diff', async () => {
    const diff = '+😀\n'.repeat(100_000);
    const files = [{ path: 'a', status: 'modified', additions: 1, deletions: 0, diff } as const];
    const sources = {
      web,
      diff: async () => ({ files, summary: 's', truncated: false }),
      outputs: async () => undefined,
      progress: () => ({ progress: undefined, now: new Date() }),
    };
    const owed = { ...reply, words: { say: 'diff', path: null, full: true } } as const;
    await fixture.createPresenter({ sources }).send(owed, awaiting());
    expect([...(fixture.github.comments[0]?.body ?? '')].length).toBeLessThanOrEqual(65_536);
    expect(fixture.github.comments[0]?.body.endsWith('-->')).toBe(true);
  });
});

describe('a human’s edit that our own edit overwrote', () => {
  test('is restored', async () => {
    const presenter = fixture.createPresenter();
    await presenter.present(queued);
    const after = fixture.github.pull.body ?? '';
    const before = 'Closes #11.\n\nI was just adding this.';
    expect(await presenter.restore({ before, after }, queued)).toBe(true);
    expect(fixture.github.pull.body).toBe(after.replace('Closes #11.', before));
    expect(await presenter.restore({ before: after, after }, queued)).toBe(false);
  });
});
