import type { Settings, Stage } from '../shapes/settings.ts';
import type { AttemptRecord, State } from '../state/state.ts';

export const implement: Stage = { name: 'implement' };
export const planStage = 'plan';

/** The stages of an attempt, never empty. */
export function stagesOf({ stages = [] }: Pick<Settings, 'stages'>): readonly Stage[] {
  return stages.length === 0 ? [implement] : stages;
}

type Staged = Pick<State, 'settings' | 'stage'>;

/** The stage that is at work, on show or due next. */
export function stageOf({ settings, stage }: Staged): Stage {
  const stages = stagesOf(settings);
  if (stage === undefined) return stages[0] ?? implement;
  return stages.find(({ name }) => name === stage) ?? wayBack(settings);
}

/** The stage after this one; undefined if it is the last. */
export function stageAfter({ settings }: Staged, { name }: Stage): Stage | undefined {
  const stages = stagesOf(settings);
  return stages[stages.findIndex((each) => each.name === name) + 1];
}

/** Where work goes on whose verifiers failed, or that is steered when it was done: a plan stands. */
export function wayBack(settings: Pick<Settings, 'stages'>): Stage {
  const stages = stagesOf(settings);
  return (
    stages.find(({ name }) => name === implement.name) ??
    stages.find(({ name }) => name !== planStage) ??
    implement
  );
}

/** The attempt that failed before the one that is due or at work, if that is to mend it. */
export function failedBefore(state: Staged & Pick<State, 'attempts'>): AttemptRecord | undefined {
  const last = state.attempts.at(-1);
  const mending = last?.stage ?? wayBack(state.settings).name;
  return mending === stageOf(state).name ? last : undefined;
}

/** The stage of a new iteration: the present one, unless it comes after that to which work goes back. */
export function stageAnew(state: Staged): Pick<State, 'stage'> {
  const names = stagesOf(state.settings).map(({ name }) => name);
  const back = wayBack(state.settings).name;
  return names.indexOf(stageOf(state).name) > names.indexOf(back) ? { stage: back } : {};
}

/**
 * Whether the last attempt got to its end: what one left between two stages is no work that a policy may go
 * on with, be it verified later for whatever reason.
 */
export function areDone({ settings, attempts, attempt }: State) {
  const last = attempts.at(-1);
  return settings.stages === undefined || (last?.attempt === attempt && last.outcome !== 'failed');
}

/** Whether what the agent has to do is a plan, not code. */
export function isPlanning(state: Staged): boolean {
  return stageOf(state).name === planStage;
}
