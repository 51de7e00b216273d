import { expect } from 'vitest';
import { covers, type Source } from '../../../src/steering/shapes/people.ts';
import { claims, type Transition } from '../transitions.ts';
import type { Hub } from './hub.ts';

const checks = Object.entries(claims);

/** What has happened so far, as far as it must not happen twice. */
export class Record {
  /** Answers that were lost: what was done may be done once more. */
  lostAnswers = 0;
  readonly #words = new Set<string>();
  readonly #effects = new Set<string>();
  #closings = 0;
  readonly phases = new Set<string>();
  commits = 0;

  /** `branch` is where the branch was moved together with the event. */
  check(transition: Transition, branch: string | undefined): void {
    const { before, event, after } = transition;
    this.commits += 1;
    this.phases.add(after.standing.phase);
    for (const [claim, check] of checks) checked(claim, () => check(transition));
    checked('what reaches the branch is the head of the ledger', () =>
      expect(branch ?? after.head).toBe(after.head),
    );
    const fresh = after.owed.filter(({ id }) => !before.owed.some((known) => known.id === id));
    for (const { id, do: what } of fresh) {
      if (this.#effects.has(id)) throw new Error(`the effect ${id} is owed again`);
      this.#effects.add(id);
      if (what === 'close') this.#closings += 1;
    }
    if (event.type !== 'said') return;
    const word = wordOf(event.source, event.by.id, event.command.type);
    const isRefused = transition.verdict.outcome === 'next' && transition.verdict.refuses === true;
    if (word === undefined || (isRefused && event.source.from === 'click')) return;
    if (this.#words.has(word)) throw new Error(`${word} counts twice, now as ${event.id}`);
    this.#words.add(word);
    const { verdict } = transition;
    const isReacted = verdict.outcome === 'next' && verdict.reaction !== undefined;
    const isAnswered = isReacted || fresh.some((effect) => effect.do === 'reply');
    if (event.source.from === 'comment' && covers(event.by.role, 'write') && !isAnswered)
      throw new Error(`${word} is not answered`);
  }

  checkHub({ replies, closings }: Hub): void {
    for (const [id, times] of replies)
      if (times > 1 + this.lostAnswers) throw new Error(`the reply ${id} was written ${times} times`);
    if (closings > this.#closings + this.lostAnswers)
      throw new Error(
        `the App closed the pull request ${closings} times, which it owed ${this.#closings} times`,
      );
  }
}

/** What names something that a person said or did, whatever event it led to. */
function wordOf(source: Source, by: number, command: string): string | undefined {
  switch (source.from) {
    case 'comment':
      return `comment ${source.comment_id}`;
    case 'review':
      return `review ${source.review_id}`;
    case 'click':
      return command === 'verify' ? undefined : `click ${source.check_run_id} ${command} by ${by}`;
    case 'dispatch':
      return undefined;
  }
}

/** Says which claim does not hold. */
export function checked(claim: string, check: () => void): void {
  try {
    check();
  } catch (cause) {
    throw new Error(`it is not true that ${claim}: ${cause instanceof Error ? cause.message : cause}`);
  }
}
