import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBlock, writeBlock } from '../../../src/github/show/block.ts';
import { createPresenter, type Presenter, type PresenterOptions } from '../../../src/github/show/present.ts';
import type { State } from '../../../src/steering/state.ts';
import { anOctokit, GitHub } from './github.ts';
import {
  anApproval,
  anInteraction,
  anIteration,
  aState,
  awaiting,
  base,
  head,
  nextHead,
  shownAt,
  steered,
  web,
} from './state.ts';

let github: GitHub;
let ledger: State | undefined;
let told: string[];

beforeEach(() => {
  nock.disableNetConnect();
  github = new GitHub();
  ledger = undefined;
  told = [];
});

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

function aPresenter(changed: Partial<PresenterOptions> = {}): Presenter {
  return createPresenter({
    octokit: anOctokit(),
    own: { login: 'coxswain[bot]' },
    reread: async () => ledger,
    sources: { web, diff: async () => undefined, outputs: async () => undefined },
    log: { info: (message) => told.push(message), warn: (message) => told.push(message) },
    drawAfterMs: 0,
    ...changed,
  });
}

const queued = aState({ seq: 1, attempt: 0, standing: { phase: 'queued', work: 'attempt' } });
const working = aState({ seq: 2 });
const hold = { iteration: 0, attempt: 1, holder: 'here', until: 'T' };
const verifying = aState({ seq: 4, head, standing: { phase: 'verifying', hold, work: 'verify_attempt' } });
const settled = { ...anInteraction(), settled_at: 'T', by: 'grace', how: 'approved' };
const approved = awaiting({
  seq: 9,
  approvals: [anApproval()],
  interactions: [settled],
  standing: { phase: 'approved', finish: 'finished' },
});

describe('drawing', () => {
  test('a run is drawn from its first second', async () => {
    await aPresenter().present(queued);
    expect(github.requests()).toEqual([
      `GET commits/${base}/check-runs`,
      'POST check-runs',
      'GET pulls/12',
      'PATCH issues/12',
    ]);
    expect(github.pull.labels.map(({ name }) => name)).toEqual(['bug', 'coxswain', 'coxswain:queued']);
    expect(readBlock(github.pull.body ?? '')?.phase).toBe('queued');
    expect(github.check('Coxswain', base)).toMatchObject({ status: 'in_progress', external_id: 'work:12:0' });
  });

  test('while work goes on only the label changes', async () => {
    const presenter = aPresenter();
    await presenter.present(queued);
    const body = github.pull.body;
    github.requests();
    await presenter.present(working);
    expect(github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(github.pull.labels.map(({ name }) => name)).toEqual(['bug', 'coxswain', 'coxswain:working']);
    expect(github.pull.body).toBe(body);
  });

  test('a new head gets its own check, and the former one is ended', async () => {
    const presenter = aPresenter();
    await presenter.present(working);
    github.requests();
    await presenter.present(verifying);
    expect(github.requests()).toEqual([
      `GET commits/${head}/check-runs`,
      'POST check-runs',
      `PATCH check-runs/${github.check('Coxswain', base)?.id}`,
      'GET pulls/12',
      'PATCH issues/12',
    ]);
    expect(github.check('Coxswain', base)).toMatchObject({
      conclusion: 'cancelled',
      output: { title: 'Superseded by a1b2c3d' },
    });
  });

  test('a human is asked once, with verifiers, buttons, and the body last', async () => {
    const presenter = aPresenter();
    await presenter.present(verifying);
    github.requests();
    await presenter.present(awaiting());
    expect(github.requests()).toEqual([
      `PATCH check-runs/${github.check('Coxswain', head)?.id}`,
      'POST check-runs',
      'GET issues/12/comments',
      'POST issues/12/comments',
      'GET pulls/12',
      'PATCH issues/12',
    ]);
    expect(github.check('Coxswain', head)).toMatchObject({
      conclusion: 'action_required',
      external_id: 'approval:12:6',
    });
    expect(github.check('Coxswain', head)?.actions?.map(({ identifier }) => identifier)).toEqual([
      'approve',
      'reject',
      'retry',
    ]);
    expect(github.check('Coxswain / test', head)?.conclusion).toBe('success');
    expect(github.comments[0]?.body.endsWith('\n\n<!-- coxswain:ask approval:12:6 -->')).toBe(true);
  });

  test('when only the sequence has moved, nothing is read or written', async () => {
    const presenter = aPresenter();
    await presenter.present(awaiting());
    github.requests();
    await presenter.present(awaiting({ seq: 7 }));
    expect(github.requests()).toEqual([]);
  });

  test('the same state again looks at the pull request, and mends what somebody took away', async () => {
    const presenter = aPresenter();
    await presenter.present(awaiting());
    github.requests();
    github.pull.body = 'All gone';
    await presenter.present(awaiting());
    expect(github.requests()).toEqual(['GET pulls/12', 'PATCH issues/12']);
    expect(github.pull.body).toMatch(/^All gone\n\n<!-- coxswain:begin -->/);
  });

  test('an approved run leaves draft, and its question says how it ended', async () => {
    const presenter = aPresenter();
    await presenter.present(awaiting());
    const gate = github.check('Coxswain', head)?.id;
    github.requests();
    await presenter.present(approved);
    expect(github.requests()).toEqual([
      // A completed check run is not taken back: a new one replaces it.
      'POST check-runs',
      `PATCH issues/comments/${github.comments[0]?.id}`,
      'GET pulls/12',
      'POST /graphql',
      'PATCH issues/12',
    ]);
    expect(github.check('Coxswain', head)?.id).not.toBe(gate);
    expect(github.check('Coxswain', head)?.conclusion).toBe('success');
    expect(github.pull.draft).toBe(false);
    expect(github.comments[0]?.body).toMatch(/^\*\*Settled:\*\* approved by grace/);
  });

  test('a steer takes an approved run back to work as a draft', async () => {
    github.pull.draft = false;
    await aPresenter().present(aState({ seq: 12, iteration: 1 }));
    expect(github.pull.draft).toBe(true);
  });

  test('rejected work is closed in the same call as its labels and body', async () => {
    await aPresenter().present(awaiting({ standing: { phase: 'rejected', by: 'ada', reason: 'no' } }));
    expect(github.pull.state).toBe('closed');
    expect(github.requests().filter((line) => line.startsWith('PATCH issues/12'))).toHaveLength(1);
  });

  test('a pull request that a human closed is not touched but for its labels and block', async () => {
    github.pull.state = 'closed';
    github.pull.draft = false;
    await aPresenter().present(awaiting());
    expect(github.pull).toMatchObject({ state: 'closed', draft: false });
  });

  test('where there are no drafts, it says so once and goes on', async () => {
    github.pull.draft = false;
    const message = 'Draft pull requests are not supported in this repository.';
    github.failures.push({ on: 'graphql', status: 200, body: { errors: [{ message }] } });
    const presenter = aPresenter();
    await presenter.present(queued);
    await presenter.present(awaiting());
    expect(github.requests().filter((line) => line.includes('graphql'))).toHaveLength(1);
    expect(told.join()).toContain('stays an ordinary pull request');
    expect(readBlock(github.pull.body ?? '')?.phase).toBe('awaiting_approval');
  });

  test('what GitHub refuses is thrown as it is', async () => {
    const message = 'Resource not accessible by integration';
    github.failures.push({ on: 'POST /repos/acme/api/check-runs', status: 403, body: { message } });
    const presenter = aPresenter();
    await expect(presenter.present(queued)).rejects.toMatchObject({ status: 403 });
    await presenter.present(working);
    expect(github.check('Coxswain', base)?.status).toBe('in_progress');
  });
});

describe('a process that starts anew', () => {
  test('finds what an earlier one has drawn, and writes none of it twice', async () => {
    await aPresenter().present(awaiting());
    github.requests();
    await aPresenter().present(awaiting());
    expect(github.requests()).toEqual([
      `GET commits/${head}/check-runs`,
      `GET commits/${base}/check-runs`,
      'GET issues/12/comments',
      'GET pulls/12',
    ]);
  });

  test('ends what a former head was left with', async () => {
    await aPresenter().present(working);
    await aPresenter().present(awaiting());
    expect(github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('does not take the check runs of others for its own', async () => {
    const output = { title: 'x', summary: 'x' };
    const common = { name: 'Coxswain', head_sha: base, status: 'completed', conclusion: 'success', output };
    github.checks.push(
      { ...common, id: 1, external_id: 'work:12:0', app: { slug: 'github-actions' } },
      { ...common, id: 2, external_id: 'work:99:0', app: { slug: 'coxswain' } },
      { ...common, id: 3, external_id: '8f14e45f-ceea', app: { slug: 'coxswain' } },
    );
    await aPresenter().present(working);
    expect(github.checks.filter(({ id }) => id > 3)).toHaveLength(1);
  });

  test('does not take a marker in somebody else’s comment for its own', async () => {
    github.comments.push({ id: 5, user: { login: 'eve' }, body: 'x\n\n<!-- coxswain:ask approval:12:6 -->' });
    await aPresenter().present(awaiting());
    expect(github.comments).toHaveLength(2);
  });
});

describe('two that draw', () => {
  test('a newer block is left alone, and what the ledger has by then is drawn', async () => {
    github.pull.body = writeBlock('Text', awaiting({ seq: 8 }));
    ledger = awaiting({ seq: 8 });
    await aPresenter().present(aState({ seq: 5 }));
    expect(readBlock(github.pull.body)?.seq).toBe(8);
    expect(github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
    expect(github.check('Coxswain', head)?.conclusion).toBe('action_required');
  });

  test('a block that claims more than the ledger has is drawn over', async () => {
    github.pull.body = writeBlock('Text', awaiting({ seq: 4000 }));
    ledger = awaiting({ seq: 6 });
    await aPresenter().present(awaiting());
    expect(readBlock(github.pull.body)?.seq).toBe(6);
  });

  test('a ledger that moved during the drawing is drawn again', async () => {
    ledger = awaiting();
    await aPresenter().present(working);
    expect(github.pull.labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
  });

  test('what another process drew in between is read again', async () => {
    const presenter = aPresenter();
    await presenter.present(awaiting());
    // Another process: a steer, and its work.
    await aPresenter().present(aState({ seq: 7, head, iteration: 1, shown: null }));
    const interaction = anInteraction({ id: 'approval:12:10' });
    await presenter.present(
      awaiting({ seq: 10, standing: { phase: 'awaiting_approval', interaction, deadline: 'T' } }),
    );
    expect(github.check('Coxswain', head)?.conclusion).toBe('action_required');
  });
});

describe('phases that are over in a moment', () => {
  test('are not drawn when something newer has come', async () => {
    const presenter = aPresenter({ drawAfterMs: 60_000 });
    await presenter.present(queued);
    github.requests();
    const passing = presenter.present(working);
    const later = presenter.present(verifying);
    await presenter.present(awaiting());
    await Promise.all([passing, later]);
    expect(github.requests().filter((line) => line === 'PATCH issues/12')).toHaveLength(1);
    expect(github.check('Coxswain', base)?.conclusion).toBe('cancelled');
  });

  test('are drawn at once when the process is to end', async () => {
    const presenter = aPresenter({ drawAfterMs: 60_000 });
    await presenter.present(queued);
    const passing = presenter.present(working);
    await presenter.flush();
    await passing;
    expect(github.pull.labels.map(({ name }) => name)).toContain('coxswain:working');
  });

  test('an older state after a newer one is not drawn', async () => {
    const presenter = aPresenter();
    await presenter.present(awaiting());
    github.requests();
    await presenter.present(working);
    expect(github.requests()).toEqual([]);
  });
});

describe('what is owed to people', () => {
  const react = { id: 'comment:9@x:react', do: 'react', to: { comment_id: 9 }, as: 'rocket' } as const;
  const words = { say: 'queued', place: 1 } as const;
  const reply = { id: 'comment:9@x:reply', do: 'reply', words, to: 'ada' } as const;

  test('a reaction is one request', async () => {
    await aPresenter().pay(react, working);
    expect(github.requests()).toEqual(['POST issues/comments/9/reactions']);
    expect(github.reactions).toEqual(['rocket']);
  });

  test('a comment that is gone ends its acknowledgement, and is noted', async () => {
    github.failures.push({ on: 'reactions', status: 404, body: { message: 'Not Found' } });
    await aPresenter().pay(react, working);
    expect(told).toEqual(['comment 9 of acme/api#12 is gone, so it gets no rocket']);
  });

  test('a reply is said once, however often and by however many it is paid', async () => {
    const presenter = aPresenter();
    await Promise.all([presenter.pay(reply, working), presenter.pay(reply, working)]);
    await presenter.pay(reply, working);
    await aPresenter().pay(reply, working);
    expect(github.comments.map(({ body }) => body)).toEqual([
      '@ada: Queued as 1. What is queued becomes the next iteration, together and in order, when the work under way has ended.\n\n<!-- coxswain:reply comment:9@x:reply -->',
    ]);
  });

  test('when nobody knows whether a reply got through, it is looked for first', async () => {
    github.failures.push({
      on: 'POST /repos/acme/api/issues/12/comments',
      status: 502,
      body: { message: 'Bad gateway' },
    });
    const presenter = aPresenter();
    await expect(presenter.pay(reply, working)).rejects.toMatchObject({ status: 502 });
    // GitHub had taken it all the same.
    github.comments.push({
      id: 7,
      user: { login: 'coxswain[bot]' },
      body: 'x\n\n<!-- coxswain:reply comment:9@x:reply -->',
    });
    await presenter.pay(reply, working);
    expect(github.comments).toHaveLength(1);
  });

  test('a reply as long as a diff can be stays a comment', async () => {
    const diff = '+😀\n'.repeat(100_000);
    const files = [{ path: 'a', status: 'modified', additions: 1, deletions: 0, diff } as const];
    const sources = {
      web,
      diff: async () => ({ files, summary: 's', truncated: false }),
      outputs: async () => undefined,
    };
    const owed = { ...reply, words: { say: 'diff', path: null, full: true } } as const;
    await aPresenter({ sources }).pay(owed, awaiting());
    expect([...(github.comments[0]?.body ?? '')].length).toBeLessThanOrEqual(65_536);
    expect(github.comments[0]?.body.endsWith('-->')).toBe(true);
  });
});

describe('a human’s edit that crossed ours', () => {
  test('is put back', async () => {
    const presenter = aPresenter();
    await presenter.present(queued);
    const after = github.pull.body ?? '';
    const before = 'Closes #11.\n\nI was just adding this.';
    expect(await presenter.restore({ before, after }, queued)).toBe(true);
    expect(github.pull.body).toBe(after.replace('Closes #11.', before));
    expect(await presenter.restore({ before: after, after }, queued)).toBe(false);
  });
});

test('a session of two attempts, a steer and an approval keeps to its budget, however slow its phases are', async () => {
  const presenter = aPresenter();
  const third = 'c'.repeat(40);
  const iterations = [anIteration(), steered(1, 'logout too', { head_before: nextHead, head_after: third })];
  const atWork = { ...hold, iteration: 1 };
  const red = {
    attempt: 1,
    outcome: 'red',
    head,
    failure: null,
    summary: '',
    verifiers: [],
    duration_s: 9,
  } as const;
  const second = { attempt: 2, attempts_used: 2, attempts: [red] };
  const first = anInteraction({ id: 'approval:12:9', head_sha: nextHead });
  const after = {
    iteration: 1,
    iterations,
    interactions: [{ ...first, settled_at: 'T', by: 'ada', how: 'steered' }],
  };
  const interaction = anInteraction({ id: 'approval:12:15', head_sha: third });
  const atEnd = { ...after, head: third, shown: shownAt(third) };
  const over = {
    ...atEnd,
    approvals: [anApproval()],
    interactions: [...after.interactions, { ...interaction, settled_at: 'T', by: 'ada', how: 'approved' }],
  };
  const session: readonly State[] = [
    queued,
    working,
    verifying,
    aState({ seq: 5, head, standing: { phase: 'queued', work: 'attempt' }, ...second, shown: shownAt(head) }),
    aState({ seq: 6, head, ...second, shown: shownAt(head) }),
    aState({
      seq: 7,
      ...second,
      head: nextHead,
      standing: { phase: 'verifying', hold, work: 'verify_attempt' },
    }),
    awaiting({
      seq: 9,
      ...second,
      head: nextHead,
      shown: shownAt(nextHead),
      standing: { phase: 'awaiting_approval', interaction: first, deadline: 'T' },
    }),
    aState({ seq: 11, ...after, head: nextHead, standing: { phase: 'queued', work: 'attempt' } }),
    aState({ seq: 12, ...after, head: nextHead, standing: { phase: 'working', hold: atWork } }),
    aState({
      seq: 13,
      ...after,
      head: third,
      standing: { phase: 'verifying', hold: atWork, work: 'verify_attempt' },
    }),
    awaiting({ seq: 15, ...atEnd, standing: { phase: 'awaiting_approval', interaction, deadline: 'T' } }),
    awaiting({ seq: 17, ...over, standing: { phase: 'approved', finish: 'finished' } }),
    awaiting({ seq: 18, ...over, standing: { phase: 'done', merged: true } }),
  ];
  for (const state of session) await presenter.present(state);
  for (const id of [1, 2]) {
    await presenter.pay(
      { id: `comment:${id}:react`, do: 'react', to: { comment_id: id }, as: 'rocket' },
      working,
    );
  }
  const requests = github.requests();
  const writes = requests.filter((line) => !line.startsWith('GET'));
  expect([writes.length <= 40, requests.length <= 60]).toEqual([true, true]);
  expect(github.checks.filter(({ conclusion }) => conclusion === null)).toEqual([]);
});
