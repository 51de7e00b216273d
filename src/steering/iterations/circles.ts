import type { AttemptRecord, State } from '../state/state.ts';

/** Two attempts that came to the same, and failed in the same way. */
export interface Circle {
  readonly first: AttemptRecord;
  readonly again: AttemptRecord;
}

/**
 * The newest attempt with one before it that came to the same and in which the same verifiers were red, since
 * people last said something: another attempt would begin where that one has led already. Undefined unless
 * that is so.
 */
export function circleIn({
  attempts,
  attempt,
  attempts_used,
}: Pick<State, 'attempts' | 'attempt' | 'attempts_used'>): Circle | undefined {
  const since = attempts.filter((each) => each.attempt > attempt - attempts_used);
  const again = since.at(-1);
  if (again?.outcome !== 'red' || again.subject === undefined) return undefined;
  const first = since
    .slice(0, -1)
    .find(
      ({ outcome, subject, ...each }) =>
        outcome === 'red' && subject === again.subject && failingIn(each) === failingIn(again),
    );
  return first && { first, again };
}

/** Why people are asked; `failing` are the verifiers. */
export function circleReason({ first, again }: Circle, failing: readonly string[]): string {
  return (
    `attempt ${again.attempt} came to the same files as attempt ${first.attempt}, ` +
    `and ${failing.join(', ')} failed on them again`
  );
}

function failingIn({ verifiers }: Pick<AttemptRecord, 'verifiers'>): string {
  const failing = verifiers.filter(({ success, required = true }) => required && !success);
  return JSON.stringify(failing.map(({ name }) => name));
}
