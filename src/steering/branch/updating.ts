import { withContributors } from '../iterations/contributing.ts';
import { settingAside } from '../iterations/held-work.ts';
import { interactionsOf, settledBy } from '../iterations/interactions.ts';
import {
  currentIteration,
  mostIterations,
  openIteration,
  updateIteration,
} from '../iterations/iterations.ts';
import { withoutObservations } from '../iterations/observing.ts';
import { wayBack } from '../iterations/stage.ts';
import {
  accepted,
  type CommandEventOf,
  type Next,
  next,
  refuse,
  type Step,
  withReply,
} from '../iterations/step.ts';
import { shortSha } from '../phrases/short-sha.ts';
import { goesOnWithAgent } from '../shapes/standing.ts';
import type { Stamp } from '../state/event.ts';
import type { BaseUpdate, In, State, SteeringIteration, WantedUpdate } from '../state/state.ts';

/** The base has moved, and people want what it has by now on the branch: a merge, which is verified. */

type Asked = CommandEventOf<'update'>;

/**
 * The update is an iteration of its own, which costs none of those that people may steer. What has been
 * approved stands until there is another head.
 */
export function updateRun(state: State, event: Asked): Step {
  const settled = answeredAtOnce(state, event);
  if (settled !== undefined) return settled;
  const step = beginUpdate({ ...state, ...steering(state, event) }, event, wantedBy(event));
  return withReply(accepted(step, event), event, { say: 'updating', base: state.run.base });
}

/** What an agent was stopped at has to go on before anything is merged below it. */
export function updateTimedOut(state: In<'timed_out'>, event: Asked): Step {
  if (goesOnWithAgent(state.standing))
    return refuse({ why: 'not_now', command: 'update', phase: 'timed_out' });
  return updateRun(state, event);
}

/** Work in progress is finished first, as it is for a steer that waits. */
export function updateLater(state: State, event: Asked): Step {
  const settled = answeredAtOnce(state, event);
  if (settled !== undefined) return settled;
  const { base } = state.run;
  const { resolve } = event.command;
  const due = updateDue(state);
  const known = due ?? state.update;
  if (known !== undefined && (known.resolve || !resolve))
    return refuse({ why: 'updating_already', base, waits: due === undefined });
  const changed: Partial<State> =
    due === undefined
      ? { update: wantedBy(event) }
      : { iterations: updateIteration(state, { update: { ...due, resolve: true } }) };
  const step = next(state, { ...changed, ...steering(state, event) }, `Merge ${base} for ${event.by.login}`);
  return withReply(accepted(step, event), event, {
    say: due === undefined ? 'update_waits' : 'updating',
    base,
  });
}

/** What needs no merge, and what a run has no room for. */
function answeredAtOnce(state: State, event: Asked): Step | undefined {
  const { max_iterations: max } = state;
  const { base } = state.run;
  if (event.up_to_date) {
    const step = next(state, {}, `The branch is up to date with ${base}`);
    return withReply(step, event, { say: 'up_to_date', base });
  }
  return max >= mostIterations ? refuse({ why: 'extended_enough', max }) : undefined;
}

function wantedBy({ by, command: { resolve } }: Asked): WantedUpdate {
  return { by: by.login, ...(resolve && { resolve }) };
}

/** A merge is nobody's change; whoever sets an agent to work on it shapes what that does. */
function steering(state: State, { by, command }: Asked): Pick<State, 'contributors'> {
  return command.resolve ? withContributors(state, [by]) : {};
}

/** Starts the iteration of an update, which Git does without the agent if it can. */
export function beginUpdate(state: State, event: Stamp, wanted: WantedUpdate): Next {
  const { base } = state.run;
  const number = state.iteration + 1;
  const whom = wanted.by === null ? '' : ` for ${wanted.by}`;
  const row: SteeringIteration = {
    ...openIteration(number, event.at, { head: state.head, steers: [] }),
    prompt: `Merge ${base} into the branch`,
    update: { ...wanted, base, done: false },
  };
  const changed: Partial<State> = {
    ...settledBy(state, event, { by: wanted.by ?? 'coxswain', how: `updated from ${base}` }),
    ...settingAside(state),
    ...{ iteration: number, max_iterations: state.max_iterations + 1 },
    ...{ attempt: 0, attempts_used: 0, times_lost: 0, attempts: [] },
    iterations: [...updateIteration(state, { landed: true, attempts: state.attempt }), row],
    ...{ merges_base: true, standing: { phase: 'queued', work: 'verify_head' } },
  };
  const { update: _, parked: __, ...rest } = withoutObservations(state);
  return next(rest, changed, `Merge ${base} into the branch${whom}`);
}

/** The update that the work which is due or under way begins with. */
export function updateDue(state: State): BaseUpdate | undefined {
  const { update } = currentIteration(state);
  return state.merges_base && update?.done === false ? update : undefined;
}

/** Nothing begins with an update that has come to nothing, until people want it again. */
export function withoutUpdate(state: State): State {
  if (updateDue(state) === undefined) return state;
  const { merges_base: _, ...others } = state;
  return others;
}

/** What an iteration of an update has to begin with when it goes on, or has other words. */
export function updateAgain(state: State): Pick<State, 'merges_base'> {
  return currentIteration(state).update?.done === false ? { merges_base: true } : {};
}

/**
 * Git cannot merge the base at this commit: the agent tries once, if people want that; undefined if they have
 * to decide.
 */
export function resolveConflict(state: State, event: Stamp, tip: string | undefined): Next | undefined {
  const { update } = currentIteration(state);
  const isWanted = updateDue(state)?.resolve || state.settings.on_conflict === 'resolve';
  if (!isWanted || tip === undefined || update?.resolves !== undefined) return undefined;
  const isBegun = update?.done === false;
  if (!isBegun && state.max_iterations >= mostIterations) return undefined;
  const begun = isBegun ? state : beginUpdate(state, event, { by: null }).state;
  const { base } = state.run;
  const resolving: BaseUpdate = {
    by: null,
    ...currentIteration(begun).update,
    base,
    resolves: tip,
    done: false,
  };
  const changed: Partial<State> = {
    ...{ attempts_used: 0, merges_base: true, standing: { phase: 'queued', work: 'attempt' } },
    ...(state.settings.stages && { stage: wayBack(state.settings).name }),
    iterations: updateIteration(begun, { update: resolving, landed: false }),
  };
  return next(begun, changed, `Let the agent resolve the conflicts with ${base} at ${shortSha(tip)}`);
}

/**
 * What is known of a branch once a base is merged into it, by Git or by the agent. What another base holds
 * than the one that the task was taken for, somebody has written whom its branch does not name.
 */
export function withBaseMerged(
  state: State,
  base: string,
): Pick<State, 'people_unknown' | 'base_merged_while_shown'> {
  return {
    ...(base !== state.task.base && { people_unknown: true }),
    ...(interactionsOf(state).length > 0 && { base_merged_while_shown: true }),
  };
}

/** The iterations once the merge of an update is on the branch. */
export function updated(state: State): readonly SteeringIteration[] {
  const { update } = currentIteration(state);
  return update === undefined
    ? state.iterations
    : updateIteration(state, { update: { ...update, done: true } });
}
