import { settingAside } from '../iterations/held-work.ts';
import { deadlineAfter, settledBy, waitingAnew } from '../iterations/interactions.ts';
import { closing, next, nothing, type Step, withEffect } from '../iterations/step.ts';
import { because } from '../phrases/first-line.ts';
import type { Person } from '../shapes/person.ts';
import type { EventOf } from '../state/event.ts';
import type { In } from '../state/state.ts';
import { ended } from './event-handlers.ts';
import { tellingIssue } from './resolving.ts';

/** Somebody has merged the work meanwhile: nothing more is started, which whoever asked for it is told. */
export function overtaken(
  state: In<'awaiting_resolution'>,
  event: EventOf<'closed'>,
  { login: to }: Pick<Person, 'login'>,
): Step {
  const words = { say: 'spawn_overtaken', by: event.by } as const;
  return withEffect(ended(state, event), { id: `${event.id}:reply`, do: 'reply', words, to });
}

/**
 * The runs that take the place of this one are there, and it ends. If one of them cannot be made, it stays as
 * it was, and knows those that are there.
 */
export function replaced(state: In<'awaiting_resolution'>, event: EventOf<'spawned'>): Step {
  const { spawning, ...waiting } = state.standing;
  const { cause, made, refused } = event;
  if (spawning?.cause !== cause) return nothing;
  const { login: by } = spawning.by;
  const before = state.replaced_by?.made ?? [];
  const isNews = ({ number }: { readonly number: number }) => before.every((each) => each.number !== number);
  const all = [...before, ...made.filter(isNews)];
  const replaced_by = { cause, made: all };
  if (refused !== undefined) {
    const { name, why: problem } = refused;
    const standing = waitingAnew(waiting, deadlineAfter(state, event.at));
    const subject = `Not replaced: ${name} cannot be started${because(problem)}`;
    const step = next(state, { standing, replaced_by }, subject);
    const words = { say: 'spawn_failed', made: all, name, problem } as const;
    return withEffect(step, { id: `${event.id}:reply`, do: 'reply', words, to: by });
  }
  const numbers = all.map(({ number }) => `#${number}`).join(', ');
  const standing = { phase: 'abandoned', by, reason: `replaced by ${numbers}`, replaced_by } as const;
  const settled = settledBy(state, event, { by, how: `replaced by ${numbers}` });
  const changed = { ...settled, ...settingAside(state), standing, replaced_by, queue: [], approvals: [] };
  return tellingIssue(closing(next(state, changed, `Replaced by ${numbers}, for ${by}`), event), event);
}
