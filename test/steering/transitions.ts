import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { objectionTo } from '../../src/steering/approval/authorization.ts';
import { groundOf } from '../../src/steering/approval/auto-approval.ts';
import { areReady } from '../../src/steering/branch/task-dependencies.ts';
import { updateDue } from '../../src/steering/branch/undo-and-update.ts';
import { failedRequired, graveConcerns, reviewOf } from '../../src/steering/confidence/evaluation.ts';
import { decide } from '../../src/steering/decide.ts';
import { openInteraction, spawningIn } from '../../src/steering/iterations/interactions.ts';
import { spentBefore } from '../../src/steering/iterations/spending.ts';
import { holdsLease } from '../../src/steering/iterations/step.ts';
import { isHeard, mayHear, timeRunsSince } from '../../src/steering/objections.ts';
import { isEnd, isOver, possibleIn } from '../../src/steering/phases/table.ts';
import type { Person } from '../../src/steering/shapes/people.ts';
import { isSurelyBefore } from '../../src/steering/shapes/time.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { Verdict } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';

/** One event with the states before and after it. */
export interface Transition {
  readonly before: State;
  readonly event: Event;
  readonly verdict: Verdict;
  readonly after: State;
}

/** What is true of every transition, whatever came before it. */
export const claims: { readonly [claim: string]: (transition: Transition) => void } = {
  'an effect is named after its event, so that names cannot grow': ({ before, event, after }) => {
    const known = before.owed.map(({ id }) => id);
    const fresh = after.owed.filter(({ id }) => !known.includes(id));
    expect(
      fresh.filter(({ id }) => !id.startsWith(`${event.id}:`) || id.length > event.id.length + 20),
    ).toEqual([]);
  },
  'deciding never throws, never mutates its input, and is repeatable': ({ before, event, verdict }) => {
    expect(isDeepStrictEqual(decide(before, event), verdict)).toBe(true);
  },
  'each commit increments the number, has a one-line subject, and is not older than the last': ({
    before,
    after,
    verdict,
  }) => {
    if (verdict.outcome === 'nothing') return;
    expect(after.seq).toBe(before.seq + 1);
    expect(verdict.subject).toMatch(/^[A-Za-z].{2,}$/);
    expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
  },
  'the counters stay within their limits': ({ after }) => {
    expect(after.iteration).toBeLessThanOrEqual(after.max_iterations);
    expect(after.attempts_used).toBeGreaterThanOrEqual(0);
    expect(after.attempts_used).toBeLessThanOrEqual(after.settings.attempts.max);
    expect(after.attempt).toBeGreaterThanOrEqual(after.attempts_used);
    expect(after.times_lost).toBeLessThanOrEqual(4);
    expect(after.iterations.map(({ iteration_number }) => iteration_number)).toEqual(
      Array.from({ length: after.iteration + 1 }, (_one, index) => index),
    );
  },
  'what is kept of blocked hosts is bounded, and what models have cost never shrinks': ({
    before,
    after,
  }) => {
    expect(after.blocked?.length ?? 1).toBeGreaterThan(0);
    expect(after.blocked?.length ?? 1).toBeLessThanOrEqual(20);
    expect(after.notices?.length ?? 1).toBeLessThanOrEqual(10);
    const [spent, now] = [spentBefore(before), spentBefore(after)];
    expect(now.tokens ?? 0).toBeGreaterThanOrEqual(spent.tokens ?? 0);
    expect(now.usd ?? 0).toBeGreaterThanOrEqual(spent.usd ?? 0);
  },
  'questions are open only while an agent may still hear an answer, few at a time, and the one on show is open':
    ({ after }) => {
      const { questions = [], standing, interactions } = after;
      const open = questions.map(({ interaction }) => interaction.id);
      if (
        ['awaiting_approval', 'awaiting_resolution', 'approved'].includes(standing.phase) ||
        isOver(standing.phase)
      )
        expect(open).toEqual([]);
      if (standing.phase === 'queued' && standing.work === 'attempt') expect(open).toEqual([]);
      const waits = standing.phase === 'timed_out' ? standing.before : standing;
      if (waits.phase === 'awaiting_answer') expect(waits.interaction.id).toBe(open[0]);
      expect(open.length).toBeLessThanOrEqual(3);
      const settled = interactions.map(({ id }) => id);
      expect(new Set([...settled, ...open]).size).toBe(settled.length + open.length);
      expect(settled.length === 0 || !settled.includes(openInteraction(after)?.id ?? '')).toBe(true);
      expect(possibleIn(after).includes('answer') && open.length === 0).toBe(false);
    },
  'what an agent left is no longer due once an attempt has a result': ({ event, before, after }) => {
    const works = before.standing.phase === 'working';
    if (works && event.type === 'work_finished' && holdsLease(before, event.hold))
      expect(after.parked).toBeUndefined();
  },
  'the commit under review is the head': ({ after: { shown, head } }) =>
    expect(shown?.head_sha ?? head).toBe(head),
  'approvals are for the commit under review, by different people, and never while an agent works': ({
    after: { approvals, shown, standing },
  }) => {
    for (const { head_sha } of approvals) expect(head_sha).toBe(shown?.head_sha);
    expect(new Set(approvals.map(({ by }) => by.login)).size).toBe(approvals.length);
    if (standing.phase === 'working' || standing.phase === 'rejected') expect(approvals).toEqual([]);
  },
  'what is said while a stage is on show approves no commit, and finishes nothing': ({
    before,
    after,
    event,
  }) => {
    if (before.standing.phase !== 'awaiting_stage' || event.type !== 'said') return;
    expect(after.approvals).toEqual([]);
    expect(['approved', 'done']).not.toContain(after.standing.phase);
  },
  'an approved run has enough approvals and no failing required verifier that was not overridden': ({
    after: { approvals, shown, standing, settings },
  }) => {
    if (standing.phase !== 'approved') return;
    if (standing.ground === undefined)
      expect(approvals.length).toBeGreaterThanOrEqual(settings.approval.required);
    const excused = approvals.flatMap(({ despite }) => despite);
    expect(failedRequired(shown?.verifiers ?? []).filter((name) => !excused.includes(name))).toEqual([]);
  },
  'a run is finished only when GitHub confirmed every approval, the head and the configuration': ({
    before,
    event,
    after,
  }) => {
    const isFinished = ({ standing }: State) =>
      standing.phase === 'approved' && standing.finish === 'finished';
    if (isFinished(before) || !isFinished(after)) return;
    expect(event.type).toBe('finish_checked');
    if (event.type !== 'finish_checked') return;
    expect(event.facts.head_sha).toBe(after.shown?.head_sha);
    expect(event.facts.settings?.digest).toBe(after.settings.digest);
    expect(event.facts.settings?.check).toBe(after.settings.check);
    expect(event.facts.base).toBe(after.run.base);
    expect(event.facts.policy === undefined).toBe(groundOf(after) === undefined);
    const valid = event.facts.approvals.filter(({ stands }) => stands).map(({ id }) => id);
    expect(valid).toEqual(expect.arrayContaining(after.approvals.map(({ id }) => id)));
  },
  'a run goes on without people only where the configuration says so, and nothing speaks against it': ({
    before,
    event,
    after,
  }) => {
    const ground = groundOf(after);
    if (ground === undefined || groundOf(before) !== undefined) return;
    const { settings, shown, run, restored, people_unknown, left_to_people, head } = after;
    expect(shown?.authority?.protected ?? []).toEqual([]);
    expect(settings.approval.mode).not.toBe('manual');
    expect(shown).toMatchObject({ gates: [], confidence: { unverified: false } });
    expect({ ...run, restored }).toMatchObject({ presenter: 'app', adopted: false });
    expect([restored, people_unknown, after.pushes]).toEqual([undefined, undefined, undefined]);
    expect(after).not.toHaveProperty('others_pushed');
    const last = after.attempts.at(-1);
    if (settings.stages !== undefined)
      expect([last?.attempt, last?.outcome === 'failed']).toEqual([after.attempt, false]);
    expect(left_to_people?.head_sha).not.toBe(head);
    if (ground.rule !== 'auto_proceed_after')
      return expect(event.type).toMatch(/^(?:verified|checks_reported|timer_due)$/);
    expect(event).toMatchObject({ type: 'timer_due', timer: 'proceed' });
    expect(event).not.toHaveProperty('spoken');
    const { standing } = before;
    const proceeds = standing.phase === 'awaiting_approval' ? standing.proceeds : undefined;
    expect(proceeds?.on_timeout).toBe('proceed');
    expect(Date.parse(event.at)).toBeGreaterThanOrEqual(Date.parse(proceeds?.at ?? 'never'));
  },
  'a run waits for words, and would be merged or is new here, only where it is written that it proceeds': ({
    before,
    after,
  }) => {
    const [known, now] = [before.standing, after.standing];
    if (now.phase !== 'awaiting_approval' || now.proceeds === undefined) return;
    if (known.phase === 'awaiting_approval' && known.interaction.id === now.interaction.id) return;
    const { new_history = 3, finish, on_timeout, on_timeout_written } = after.settings.approval;
    if (finish === 'ready' && (after.shown?.merged_runs ?? 0) >= new_history) return;
    expect([on_timeout, on_timeout_written]).toEqual(['proceed', true]);
  },
  'nothing goes on by itself without the second opinion that is wanted, or with a grave concern': ({
    after,
  }) => {
    const { standing, settings, head } = after;
    if (standing.phase !== 'approved' || standing.ground === undefined || settings.review === undefined)
      return;
    const review = reviewOf(after, head);
    expect(review?.confidence ?? null).not.toBeNull();
    expect(graveConcerns(review)).toEqual([]);
  },
  'nothing goes on by itself that has timed out': ({ after: { standing } }) => {
    if (standing.phase === 'timed_out') expect(standing.before).not.toHaveProperty('proceeds');
  },
  'what somebody said goes before the time to say it': ({ event, after }) => {
    if (event.type === 'timer_due' && event.spoken !== undefined) expect(groundOf(after)).toBeUndefined();
  },
  'what has changed while a run was paused is not asked about again': ({ before, event, after }) => {
    const { standing } = before;
    if (standing.phase !== 'paused' || event.type !== 'said' || event.command.type !== 'resume') return;
    if (after.standing.phase === 'awaiting_permission' && 'held' in after.standing)
      expect(after.standing.held.work.head_before).toBe(after.head);
    if (standing.asked?.evaluated !== true) return;
    if (after.standing.phase === 'awaiting_approval' || after.standing.phase === 'approved')
      expect(after.shown?.head_sha).toBe(after.head);
  },
  'an outcome names only an approval that was confirmed, and a policy only if it was merged or closed': ({
    before: { standing, owed, run },
    event,
    after,
  }) => {
    const known = owed.map(({ id }) => id);
    for (const effect of after.owed) {
      if (effect.do !== 'record_outcome' || known.includes(effect.id)) continue;
      const { approved_by } = effect.outcome;
      if (approved_by === null) continue;
      expect(standing).toMatchObject({ phase: 'approved', finish: 'finished' });
      if (event.type === 'closed') expect(event.base ?? run.base).toBe(run.base);
      if (approved_by === 'people') expect(after.approvals.length).toBeGreaterThan(0);
      else expect([event.type, 'ground' in standing]).toEqual(['closed', true]);
    }
  },
  'any word of a person stops a run that would go on by itself': ({ before, event, after }) => {
    const since = timeRunsSince(before);
    if (since === undefined || !stops(event, since)) return;
    expect(after.standing).not.toHaveProperty('proceeds');
    expect(after.standing).not.toHaveProperty('ground');
    expect(after.left_to_people).toMatchObject({ head_sha: before.head, because: { why: 'stopped' } });
  },
  'no approval survives that somebody deletes words afterwards': ({ before, event, after }) => {
    if (event.type !== 'spoke' || event.how !== 'deleted') return;
    if (![event.by, event.author].some(isHeard) || !mayHear(before, event.how)) return;
    expect(after.approvals.every(({ at }) => Date.parse(at) > Date.parse(event.at))).toBe(true);
    if (after.approvals.length < before.approvals.length) expect(after.standing.phase).not.toBe('approved');
  },
  'no approval and no result survives another base, configuration or check': ({ before, after }) => {
    const [old, now] = [before.settings, after.settings];
    const isSame = old.digest === now.digest && old.check === now.check;
    const isRenamed = after.run.base !== before.run.base && after.approvals.length > 0;
    if (isSame && !isRenamed) return;
    if (isSame) expect(after.shown).toBe(before.shown);
    else expect(after).toMatchObject({ approvals: [], shown: null });
  },
  'people without permission change only the record, and bots not even that': ({
    before,
    event,
    after,
    verdict,
  }) => {
    if (event.type !== 'said') return;
    if (event.by.bot) expect(verdict.outcome).toBe('nothing');
    if (objectionTo(before, event) === undefined) return;
    const { seq: _seq, updated_at: _at, owed: _owed, ...rest } = after;
    const standing = isHeard(event.by) ? leftToPeople(before) : before.standing;
    expect(rest).toEqual(expect.objectContaining({ standing, approvals: before.approvals }));
    expect(rest).toMatchObject({ queue: before.queue, iterations: before.iterations, head: before.head });
  },
  'a person who is not a bot is always answered': ({ before, event, after }) => {
    if (event.type === 'said' && !event.by.bot) expect(after.seq).toBe(before.seq + 1);
  },
  'only work of the current attempt on the current head reaches the branch': ({ before, event, verdict }) => {
    if (verdict.outcome === 'nothing' || !verdict.takes_code) return;
    // Work that is held, or that was refused, is pushed too, but not to the branch.
    expect(event.type).toMatch(/^(?:work_(?:finished|held|parked|failed)|ci_started|undone|base_merged)$/);
    if (event.type === 'work_failed' || event.type === 'work_parked') {
      expect(event.type === 'work_failed' ? event.kept_ref : event.left?.kept).toEqual(expect.any(String));
      expect(verdict.state.head).toBe(before.head);
    }
    if (event.type === 'undone') {
      expect(before.standing).toMatchObject({ phase: 'verifying', hold: event.hold, undoes: {} });
      expect(event.head_before).toBe(before.head);
    }
    if (event.type === 'base_merged') {
      const phase =
        updateDue(before) === undefined ? 'working' : expect.stringMatching(/^(?:work|verify)ing$/);
      expect(before.standing).toMatchObject({ phase, hold: event.hold });
      expect(event.head_before).toBe(before.head);
    }
    if (event.type === 'ci_started') {
      expect(before.standing).toMatchObject({ phase: 'verifying', hold: event.hold, starts_ci: true });
      expect(event.head_before).toBe(before.head);
    }
    if (event.type !== 'work_finished' && event.type !== 'work_held') return;
    expect(before.standing).toMatchObject({ phase: 'working', hold: event.hold });
    expect(event.work.head_before).toBe(before.head);
    expect(verdict.state.head).toBe(event.type === 'work_held' ? before.head : event.work.head);
  },
  'after the end only a reopened pull request continues, and only a merge is another end': ({
    before,
    event,
    after,
  }) => {
    if (!isOver(before.standing.phase) || isDeepStrictEqual(after.standing, before.standing)) return;
    if (event.type === 'closed') {
      expect(before.standing).not.toMatchObject({ phase: 'done', merged: true });
      expect(after.standing).toEqual({ phase: 'done', merged: true });
      return;
    }
    expect(event.type).toBe('reopened');
    expect(after.standing.phase).toBe('paused');
  },
  'no steer is queued while a human is asked, nor after the end': ({ after }) => {
    const waiting = ['blocked', 'queued', 'working', 'verifying', 'paused', 'failed'];
    if (!waiting.includes(after.standing.phase)) expect(after.queue).toEqual([]);
  },
  'every question can be answered, and is asked once': ({ after }) => {
    const isReplaced = spawningIn(after) !== undefined;
    if (!isOver(after.standing.phase) && !isReplaced) expect(possibleIn(after)).toContain('reject');
    const ids = after.interactions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  },
  'nothing begins before everything is merged that it depends on, unless somebody decides otherwise': ({
    before,
    event,
    after,
  }) => {
    if (before.standing.phase !== 'blocked' || after.standing.phase === 'blocked') return;
    if (after.standing.phase !== 'queued') return expect(after.waits_for).toEqual(before.standing.on);
    expect(after.standing.work).toBe('attempt');
    if (event.type !== 'said') return expect(event.type).toMatch(/^(?:dependencies_read|relinked)$/);
    if (event.command.type === 'resume' && areReady(before.standing.on)) return;
    if (event.command.type === 'resume') return expect(event.by.role).toMatch(/^(?:maintain|admin)$/);
    expect(event.command).toMatchObject({ type: 'retry', changes: { depends_on: expect.anything() } });
  },
  'what a run waits for is kept while it has stopped, and not beside that': ({ after }) => {
    const { standing, waits_for } = after;
    if (standing.phase === 'blocked') {
      expect(areReady(standing.on)).toBe(standing.behind !== undefined);
      expect(standing.behind).not.toEqual([]);
    }
    if (waits_for !== undefined)
      expect(standing.phase).toMatch(/^(?:paused|failed|done|rejected|cancelled|abandoned)$/);
  },
  'a run that is replaced is not also gone on with': ({ before, event, after }) => {
    if (spawningIn(before) === undefined || spawningIn(after) !== undefined) return;
    if (event.type === 'closed') return expect(after.standing).toEqual({ phase: 'done', merged: true });
    expect(event.type).toBe('spawned');
    expect(after.standing.phase).toMatch(/^awaiting_resolution$|^abandoned$/);
  },
  'what has taken the place of a run only grows, and names runs that were made': ({ before, after }) => {
    const [known = [], made = []] = [before.replaced_by?.made, after.replaced_by?.made];
    expect(made.slice(0, known.length)).toEqual(known);
    expect(new Set(made.map(({ number }) => number)).size).toBe(made.length);
    const { standing } = after;
    if (standing.phase !== 'abandoned' || standing.replaced_by === undefined) return;
    expect(standing.replaced_by).toEqual(after.replaced_by);
    expect(made.length).toBeGreaterThan(0);
  },
  'what a task tightens never disappears': ({ before, after }) => {
    expect(Object.keys(after.overrides ?? {})).toEqual(
      expect.arrayContaining(Object.keys(before.overrides ?? {})),
    );
  },
  'every end is told once to those who depend on it': ({ before, event, after }) => {
    const known = before.owed.map(({ id }) => id);
    const fresh = after.owed.filter((effect) => effect.do === 'wake' && !known.includes(effect.id));
    const ids = isEnd(before.standing, after.standing) ? [`${event.id}:wake`] : [];
    expect(fresh.map(({ id }) => id)).toEqual(ids);
  },
  'the state survives the ledger: JSON and back is the same state': ({ after }) =>
    expect(isDeepStrictEqual(JSON.parse(JSON.stringify(after)), after)).toBe(true),
};

/** What is left of a run that would have gone on by itself, after somebody said something. */
function leftToPeople(before: State): State['standing'] {
  const { standing } = before;
  if (standing.phase === 'approved' && timeRunsSince(before) !== undefined)
    return { phase: 'queued', work: 'verify_head' };
  if (standing.phase !== 'awaiting_approval') return standing;
  const { proceeds: _, ...rest } = standing;
  return rest;
}

/** Whether an event is the word of somebody who is heard, from since people have time. */
function stops(event: Event, since: string): boolean {
  if (event.type === 'said') return hasRights(event.by);
  if (event.type !== 'spoke' || ![event.by, event.author].some(hasRights)) return false;
  return event.how === 'deleted' || !isSurelyBefore(event.at, since);
}

/** Whoever may at least sort issues and pull requests; said here anew, so that the code cannot change it. */
function hasRights({ role, bot }: Person): boolean {
  return !bot && ['triage', 'write', 'maintain', 'admin'].includes(role);
}
