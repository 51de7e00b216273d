import { describe, expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import type { EventOf, Past } from '../../src/steering/event.ts';
import { mayRestore } from '../../src/steering/policy.ts';
import type { SettledInteraction } from '../../src/steering/standing.ts';
import { ada, bob, mia, rea, robot, run, settingsOf, sha, task } from './samples.ts';
import { type Story, story } from './story.ts';

/** A lost ledger is rebuilt from the pull request. */

const at = '2025-03-03T12:00:00Z';

const asked: SettledInteraction = {
  ...{ id: 'approval:7:9', kind: 'approval', opened_at: at, head_sha: sha(0) },
  ...{ settled_at: at, by: 'coxswain', how: 'lost with the ledger' },
};

const steered: Past['iterations'][number] = {
  ...{ iteration_number: 2, prompt: 'mind the summer time', timestamp: at, steers: [], files_modified: [] },
  ...{ output: 'Done.', head_before: sha(1), head_after: sha(2), attempts: 1, score: null, verifiers: [] },
  ...{ cost: {}, duration_s: 60, landed: true },
};

const past: Past = { seq: 41, iteration: 2, attempt: 3, iterations: [steered], asked };

type Facts = Omit<EventOf<'restored'>, 'id' | 'at' | 'type'>;

function restored(facts: Partial<Facts> = {}): Story {
  const settings = settingsOf();
  const lost = 'vanished';
  const people = { requested_by: { login: 'bob', id: 2 }, contributors: [] };
  const contributors = { people: [], complete: true };
  const known = { run, task, settings, past, lost, opened_at: at, people, contributors, by: ada } as const;
  const all: Facts = { ...known, ...facts };
  return story().apply({ type: 'restored', ...all }, 'restored:comment:5');
}

describe('a restored run', () => {
  test('is paused until someone resumes it, and then its head is verified again', () => {
    const again = restored();
    expect(again.state.standing).toEqual({
      ...{ phase: 'paused', why: 'ledger_restored', resumes_with: 'verify_head' },
    });
    again.says(ada, '/resume');
    expect(again.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
    again.verifiers.pass();
    expect(again.phase).toBe('awaiting_approval');
    expect(again.says(bob, '/approve').phase).toBe('approved');
  });

  test('begins with the work if none has landed', () => {
    const again = restored({ past: { ...past, untouched: true } }).says(ada, '/resume');
    expect(again.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    expect(again.works().phase).toBe('awaiting_approval');
  });

  test('has no approval, no commit under review, and the head that GitHub reports', () => {
    expect(restored().state).toMatchObject({ approvals: [], shown: null, report: null, head: run.head });
  });

  test('does not forget who worked on the branch, as far as GitHub knows', () => {
    const settings = settingsOf({ approval: { steerer_may_approve: false } });
    const people = restored({ settings, contributors: { people: [bob], complete: true } });
    people.says(ada, '/resume').verifiers.pass();
    const named = `/approve ${people.state.head}`;
    expect(people.says(bob, named).refusal).toMatchObject({ why: 'own_work' });
    expect(people.says(ada, named).phase).toBe('approved');
  });

  test.each([
    [{ people: [bob], complete: true }, 'awaiting_approval'],
    [{ people: [], complete: false }, 'awaiting_approval'],
    [{ people: [], complete: true }, 'approved'],
  ])('after pushes by %o takes a plain /approve only if nobody pushed', (contributors, phase) => {
    const again = restored({ contributors }).says(ada, '/resume').verifiers.pass();
    expect(again.says(mia, '/approve').phase).toBe(phase);
  });

  test.each([
    ['a proven history', { requested_by: { login: 'bob', id: 2 }, contributors: [] }, 9],
    ['one that anybody may have written', null, 5],
  ])('%s (%o) reaches iteration %i where the settings allow 5', (_, people, reached) => {
    const { state } = restored({ past: { ...past, iteration: 9 }, people });
    expect(state).toMatchObject({ iteration: reached, max_iterations: reached });
    expect(state.iterations).toHaveLength(reached + 1);
  });

  test('continues the numbers of the lost ledger, so that ids stay unique', () => {
    const again = restored();
    expect(again.state.seq).toBe(43); // its pending reply is done by then
    again.says(ada, '/resume').verifiers.pass();
    const { standing } = again.state;
    expect(standing).toMatchObject({ interaction: { id: `approval:7:${again.state.seq}` } });
  });

  test('has every iteration; unknown ones are empty', () => {
    const { state, prompts } = restored();
    expect(state).toMatchObject({ iteration: 2, attempt: 3, attempts_used: 0, max_iterations: 5 });
    expect(prompts).toEqual(['', '', 'mind the summer time']);
    expect(state.iterations.map(({ iteration_number }) => iteration_number)).toEqual([0, 1, 2]);
  });

  test('can be steered as far as the current settings allow', () => {
    const again = restored({ settings: settingsOf({ max_iterations: 1 }) });
    again.says(ada, '/resume').verifiers.pass();
    expect(again.says(ada, '/steer more').refusal).toEqual({ why: 'iterations_used_up', max: 2 });
  });

  test('says that it is restored, in its first commit, its state and a reply', () => {
    const again = restored({ lost: 'put_back', by: mia });
    expect(again.subject).toBe(
      'Restore the ledger from the pull request for mia: it had been reset to an older commit',
    );
    expect(again.state.restored).toMatchObject({ by: 'mia', lost: 'put_back' });
    expect(again.replies).toEqual([{ say: 'restored', lost: 'put_back' }]);
  });

  test('remembers who asked for it and who pushed to it, as far as that is proven', () => {
    const approval = { requester_may_approve: false, steerer_may_approve: false };
    const people = { requested_by: { login: 'bob', id: 2 }, contributors: [mia] };
    const again = restored({ settings: settingsOf({ approval }), people }).says(bob, '/resume');
    again.verifiers.pass();
    expect(again.says(bob, '/approve').refusal).toMatchObject({ rule: 'requester_may_approve' });
    expect(again.says(mia, '/approve').refusal).toMatchObject({ rule: 'steerer_may_approve' });
    expect(again.says(ada, '/approve').phase).toBe('approved');
  });

  test.each(['requester_may_approve', 'steerer_may_approve'] as const)(
    'whose people are unknown is approved only by a maintainer where %s is false',
    (rule) => {
      const settings = settingsOf({ approval: { [rule]: false } });
      const again = restored({ settings, people: null }).says(ada, '/resume');
      again.verifiers.pass();
      expect(again.says(bob, '/approve').refusal).toEqual({ why: 'unknown_contributors', rule });
      expect(again.says(mia, '/approve').phase).toBe('approved');
    },
  );

  test('does not end because an attempt at the task itself changes nothing more', () => {
    const again = restored({ past: { ...past, iteration: 0, iterations: [], asked: null } });
    again.says(ada, '/resume').verifiers.pass();
    again.says(ada, '/retry').agent.finishes({ changesNothing: true });
    expect(again.phase).toBe('verifying');
  });

  test('settles the question that was open when its ledger was lost', () => {
    expect(restored().state.interactions).toEqual([asked]);
  });
});

test('a run with a ledger is not restored', () => {
  const going = story().starts().works();
  const settings = settingsOf();
  const event: EventOf<'restored'> = {
    ...{ type: 'restored', id: 'restored:comment:5', at, run, task, settings },
    ...{ past, lost: 'vanished', opened_at: at, people: null, by: ada },
    contributors: { people: [], complete: true },
  };
  expect(decide(going.state, event)).toEqual({ outcome: 'nothing' });
});

test('restoring requires maintain, and bots may not', () => {
  expect([ada, mia, rea, robot].map(mayRestore)).toEqual([false, true, false, false]);
});

describe('what a restored ledger says of the past', () => {
  test('is marked as unproven if nobody can be proven to have taken part', () => {
    const { state } = restored({ people: null });
    expect(state).toMatchObject({ requested_by: ada, people_unknown: true, restored: { unproven: true } });
  });

  test('is believed otherwise, but a login is given no rights and is no bot', () => {
    const { state } = restored();
    expect(state.requested_by).toEqual({ login: 'bob', id: 2, role: 'none', bot: false });
    expect(state.restored).toEqual({ at: state.updated_at, by: 'ada', lost: 'vanished' });
    expect(state).not.toHaveProperty('people_unknown');
  });

  test('has the question that was open, if there was one', () => {
    expect(restored().state.interactions).toEqual([asked]);
    expect(restored({ past: { ...past, asked: null } }).state.interactions).toEqual([]);
  });

  test('has every iteration, none of them in progress, and nothing else', () => {
    const { state } = restored();
    expect(state.iterations.map(({ landed, prompt }) => [landed, prompt])).toEqual([
      [true, ''],
      [true, ''],
      [true, 'mind the summer time'],
    ]);
    expect(state).toMatchObject({ queue: [], attempts: [], iteration: 2, attempt: 3 });
  });

  test('has a subject that says how it was lost', () => {
    const subjects = (['vanished', 'unreadable', 'put_back', 'unsealed'] as const).map(
      (lost) => restored({ lost }).subject,
    );
    expect(subjects).toEqual(
      ['was missing', 'could not be read', 'had been reset to an older commit', 'was not sealed'].map(
        (how) => `Restore the ledger from the pull request for ada: it ${how}`,
      ),
    );
  });
});
