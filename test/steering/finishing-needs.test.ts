import { describe, expect, test } from 'vitest';
import type { Authority } from '../../src/steering/shapes/approval-authority.ts';
import { ada, bob, changes, mia, verifierOutputs } from './samples.ts';
import { type Story, story } from './story.ts';

const authority: Authority = {
  owned: [],
  protected: [{ paths: ['infra/**'], by: [{ team: 'acme/platform' }], files: ['infra/a'], count: 1 }],
};

const pat = { ...ada, login: 'pat', id: 41, teams: ['acme/platform'] };

/** Two people, one of them of acme/platform, have to approve. */
function asking(finish: 'ready' | 'auto-merge' | 'merge'): Story {
  const run = story({ approval: { finish, required: 2 } }).starts();
  run.agent.finishes().engine.takes();
  const { head, settings } = run.state;
  const verifiers = verifierOutputs(settings);
  const found = { head, verifiers, changes, gates: [], duration_s: 5, authority };
  return run.apply({ type: 'verified', hold: run.hold, ...found });
}

const merges = (run: Story) => run.effects.filter((effect) => effect.do === 'merge');

describe.each(['ready', 'auto-merge', 'merge'] as const)('with `finish: %s`, a run', (finish) => {
  test('is approved by two people of whom one protects the path, and not before', () => {
    const run = asking(finish).says(bob, '/approve').says(mia, '/approve');
    expect(run.phase).toBe('awaiting_approval');
    expect(run.replies.at(-1)).toMatchObject({ missing: ['infra/** needs @acme/platform'] });
    expect(merges(run)).toEqual([]);
    run.says(pat, '/approve');
    expect(run.phase).toBe('approved');
    expect(merges(run)).toEqual([]);
    const { approvals } = run.state;
    const facts = approvals.map(({ id, by }) => ({ id, stands: true, why: '', teams: by.teams ?? [] }));
    run.confirms({ approvals: facts, authority });
    expect(run.state.standing).toMatchObject({ finish: 'finished' });
    expect(merges(run)).toHaveLength(finish === 'ready' ? 0 : 1);
  });

  test('is not finished if the team was left meanwhile', () => {
    const run = asking(finish).says(bob, '/approve').says(pat, '/approve');
    expect(run.phase).toBe('approved');
    const facts = run.state.approvals.map(({ id }) => ({ id, stands: true, why: '', teams: [] }));
    run.confirms({ approvals: facts, authority });
    expect(run.replies.at(-1)).toMatchObject({
      say: 'finish_refused',
      reasons: ['infra/** needs @acme/platform'],
    });
    expect(merges(run)).toEqual([]);
  });

  test('asks for reviews of those whom it needs by name, and of each once', () => {
    const run = asking(finish);
    const asked = () => run.effects.filter((effect) => effect.do === 'request_reviews');
    expect(asked()).toMatchObject([{ of: ['@acme/platform'] }]);
    run.says(bob, '/verify').verifiers.pass();
    expect(asked()).toHaveLength(1);
  });
});

test('a person who joined a team meanwhile approves once more, for what was missing', () => {
  const run = asking('ready')
    .says(bob, '/approve')
    .says({ ...pat, teams: [] }, '/approve');
  expect(run.phase).toBe('awaiting_approval');
  expect(run.says(bob, '/approve').refusal).toEqual({ why: 'already_approved', by: 'bob' });
  expect(run.says(pat, '/approve').phase).toBe('approved');
  expect(run.state.approvals).toHaveLength(2);
});

test('a person whose team GitHub does not name is told so', () => {
  const settings = { approval: { by: [{ team: 'acme/platform' }] } };
  const run = story(settings).starts().works();
  run.says({ ...bob, teams: [], unread_teams: ['acme/platform'] }, '/approve');
  expect(run.refusal).toMatchObject({
    why: 'not_permitted',
    needs: expect.stringContaining('does not name'),
  });
});
