import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import { failedRequired } from '../../src/steering/evaluation.ts';
import type { Event } from '../../src/steering/event.ts';
import { objectionTo } from '../../src/steering/policy.ts';
import type { Verdict } from '../../src/steering/ports.ts';
import type { Settings } from '../../src/steering/settings.ts';
import type { State } from '../../src/steering/state.ts';
import { isOver, possibleIn } from '../../src/steering/table.ts';
import { anySettings, eventOf, firstEvent, type RandomEvent, randomEvent } from './random-events.ts';

/** One event with the states before and after it. */
interface Transition {
  readonly before: State;
  readonly event: Event;
  readonly verdict: Verdict;
  readonly after: State;
}

const sequences = fc.tuple(anySettings, fc.array(randomEvent, { minLength: 1, maxLength: 60, size: 'max' }));
const runs = { numRuns: 150 };

/** Runs the check on every transition of random sequences. */
function always(check: (transition: Transition) => void): void {
  fc.assert(
    fc.property(sequences, ([settings, events]) => {
      for (const transition of transitionsOf(settings, events)) check(transition);
    }),
    runs,
  );
}

function transitionsOf(settings: Settings, randomEvents: readonly RandomEvent[]): readonly Transition[] {
  let state = stateAfter(decide(undefined, firstEvent(settings)));
  return randomEvents.map((random, index) => {
    const event = frozen(eventOf(random, state, index + 1));
    const before = state;
    const verdict = decide(before, event);
    state = verdict.outcome === 'next' ? frozen(verdict.state) : before;
    return { before, event, verdict, after: state };
  });
}

function stateAfter(verdict: Verdict): State {
  if (verdict.outcome === 'nothing') throw new Error('the event changed nothing');
  return frozen(verdict.state);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

describe('in any sequence of events', () => {
  test('an effect is named after its event, so that names cannot grow', () => {
    always(({ before, event, after }) => {
      const known = before.owed.map(({ id }) => id);
      const fresh = after.owed.filter(({ id }) => !known.includes(id));
      expect(
        fresh.filter(({ id }) => !id.startsWith(`${event.id}:`) || id.length > event.id.length + 20),
      ).toEqual([]);
    });
  });

  // The inputs are frozen, so a mutation throws.
  test('deciding never throws, never mutates its input, and is repeatable', () => {
    always(({ before, event, verdict }) => {
      expect(isDeepStrictEqual(decide(before, event), verdict)).toBe(true);
    });
  });

  test('each commit increments the number, has a one-line subject, and is not older than the last', () => {
    always(({ before, after, verdict }) => {
      if (verdict.outcome === 'nothing') return;
      expect(after.seq).toBe(before.seq + 1);
      expect(verdict.subject).toMatch(/^[A-Za-z].{2,160}$/);
      expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    });
  });

  test('the counters stay within their limits', () => {
    always(({ after }) => {
      expect(after.iteration).toBeLessThanOrEqual(after.max_iterations);
      expect(after.attempts_used).toBeGreaterThanOrEqual(0);
      expect(after.attempts_used).toBeLessThanOrEqual(after.settings.attempts.max);
      expect(after.attempt).toBeGreaterThanOrEqual(after.attempts_used);
      expect(after.times_lost).toBeLessThanOrEqual(4);
      expect(after.iterations.map(({ iteration_number }) => iteration_number)).toEqual(
        Array.from({ length: after.iteration + 1 }, (_one, index) => index),
      );
    });
  });

  test('the commit under review is the head', () => {
    always(({ after: { shown, head } }) => expect(shown?.head_sha ?? head).toBe(head));
  });

  test('approvals are for the commit under review, by different people, and never while an agent works', () => {
    always(({ after: { approvals, shown, standing } }) => {
      for (const { head_sha } of approvals) expect(head_sha).toBe(shown?.head_sha);
      expect(new Set(approvals.map(({ by }) => by.login)).size).toBe(approvals.length);
      if (standing.phase === 'working' || standing.phase === 'rejected') expect(approvals).toEqual([]);
    });
  });

  test('an approved run has enough approvals and no failing required verifier that was not overridden', () => {
    always(({ after: { approvals, shown, standing, settings } }) => {
      if (standing.phase !== 'approved') return;
      expect(approvals.length).toBeGreaterThanOrEqual(settings.approval.required);
      const excused = approvals.flatMap(({ despite }) => despite);
      expect(failedRequired(shown?.verifiers ?? []).filter((name) => !excused.includes(name))).toEqual([]);
    });
  });

  test('a run is finished only when GitHub confirmed every approval, the head and the configuration', () => {
    always(({ before, event, after }) => {
      const isFinished = ({ standing }: State) =>
        standing.phase === 'approved' && standing.finish === 'finished';
      if (isFinished(before) || !isFinished(after)) return;
      expect(event.type).toBe('finish_checked');
      if (event.type !== 'finish_checked') return;
      expect(event.facts.head_sha).toBe(after.shown?.head_sha);
      expect(event.facts.settings?.digest).toBe(after.settings.digest);
      expect(event.facts.settings?.check).toBe(after.settings.check);
      expect(event.facts.base).toBe(after.run.base);
      const valid = event.facts.approvals.filter(({ stands }) => stands).map(({ id }) => id);
      expect(valid).toEqual(expect.arrayContaining(after.approvals.map(({ id }) => id)));
    });
  });

  test('no approval and no result survives another base, configuration or check', () => {
    always(({ before, after }) => {
      const [old, now] = [before.settings, after.settings];
      const isSame = old.digest === now.digest && old.check === now.check;
      const isRenamed = after.run.base !== before.run.base && after.approvals.length > 0;
      if (isSame && !isRenamed) return;
      if (isSame) expect(after.shown).toBe(before.shown);
      else expect(after).toMatchObject({ approvals: [], shown: null });
    });
  });

  test('people without permission change only the record, and bots not even that', () => {
    always(({ before, event, after, verdict }) => {
      if (event.type !== 'said') return;
      if (event.by.bot) expect(verdict.outcome).toBe('nothing');
      if (objectionTo(before, event) === undefined) return;
      const { seq: _seq, updated_at: _at, owed: _owed, ...rest } = after;
      expect(rest).toEqual(
        expect.objectContaining({ standing: before.standing, approvals: before.approvals }),
      );
      expect(rest).toMatchObject({ queue: before.queue, iterations: before.iterations, head: before.head });
    });
  });

  test('a person who is not a bot is always answered', () => {
    always(({ before, event, after }) => {
      if (event.type === 'said' && !event.by.bot) expect(after.seq).toBe(before.seq + 1);
    });
  });

  test('every effect is pending once, under a unique name', () => {
    fc.assert(
      fc.property(sequences, ([settings, events]) => {
        const transitions = transitionsOf(settings, events);
        const fresh = transitions.flatMap(({ before, after }) =>
          after.owed.filter(({ id }) => !before.owed.some((known) => known.id === id)),
        );
        expect(new Set(fresh.map(({ id }) => id)).size).toBe(fresh.length);
        for (const { after } of transitions)
          expect(new Set(after.owed.map(({ id }) => id)).size).toBe(after.owed.length);
      }),
      runs,
    );
  });

  test('only work of the current attempt on the current head reaches the branch', () => {
    always(({ before, event, verdict }) => {
      if (verdict.outcome === 'nothing' || !verdict.takes_code) return;
      // Held work is pushed too, but not to the branch.
      expect(event.type).toMatch(/^(?:work_(?:finished|held)|ci_started)$/);
      if (event.type === 'ci_started') {
        expect(before.standing).toMatchObject({ phase: 'verifying', hold: event.hold, starts_ci: true });
        expect(event.head_before).toBe(before.head);
      }
      if (event.type !== 'work_finished' && event.type !== 'work_held') return;
      expect(before.standing).toMatchObject({ phase: 'working', hold: event.hold });
      expect(event.work.head_before).toBe(before.head);
      expect(verdict.state.head).toBe(event.type === 'work_held' ? before.head : event.work.head);
    });
  });

  test('held work reaches the branch only after a person with the right to it allowed exactly that', () => {
    fc.assert(
      fc.property(sequences, ([settings, events]) => {
        const allowed = new Set<string>();
        for (const { before, event, after } of transitionsOf(settings, events)) {
          const { standing } = before;
          if (standing.phase === 'awaiting_permission' && after.standing.phase === 'queued')
            if (after.standing.work === 'land') {
              expect(event.type === 'said' && event.command.type).toBe('allow');
              allowed.add(standing.held.work.head);
            }
          if (event.type === 'work_finished' && standing.phase === 'working' && standing.held)
            expect(allowed).toContain(standing.held.work.head);
        }
      }),
      runs,
    );
  });

  test('after the end only a reopened pull request continues', () => {
    always(({ before, event, after }) => {
      if (!isOver(before.standing.phase) || after.standing.phase === before.standing.phase) return;
      expect(event.type).toBe('reopened');
      expect(after.standing.phase).toBe('paused');
    });
  });

  test('no steer is queued while a human is asked, nor after the end', () => {
    const waiting = ['queued', 'working', 'verifying', 'paused', 'failed'];
    always(({ after }) => {
      if (!waiting.includes(after.standing.phase)) expect(after.queue).toEqual([]);
    });
  });

  test('every question can be answered, and is asked once', () => {
    always(({ after }) => {
      if (!isOver(after.standing.phase)) expect(possibleIn(after)).toContain('reject');
      const ids = after.interactions.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  test('the state survives the ledger: JSON and back is the same state', () => {
    always(({ after }) => expect(isDeepStrictEqual(JSON.parse(JSON.stringify(after)), after)).toBe(true));
  });

  test('replaying the accepted events gives the same state', () => {
    fc.assert(
      fc.property(sequences, ([settings, events]) => {
        const transitions = transitionsOf(settings, events);
        const accepted = transitions
          .filter(({ verdict }) => verdict.outcome === 'next')
          .map(({ event }) => event);
        let state = stateAfter(decide(undefined, firstEvent(settings)));
        for (const event of accepted) state = stateAfter(decide(state, JSON.parse(JSON.stringify(event))));
        expect(state).toEqual(transitions.at(-1)?.after);
      }),
      runs,
    );
  });

  test('the random sequences reach every phase', () => {
    const seen = new Set<string>();
    for (const [settings, events] of fc.sample(sequences, { numRuns: 400, seed: 11 })) {
      for (const { after } of transitionsOf(settings, events)) seen.add(after.standing.phase);
    }
    expect(seen.size).toBe(13);
  });
});
