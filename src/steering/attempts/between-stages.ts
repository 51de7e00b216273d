import { objectionToWay, wayOf } from '../approval/authorization.ts';
import { withReport } from '../iterations/authorship.ts';
import { deadlineAfter, openingOf, settledBy } from '../iterations/interactions.ts';
import { isPlanning, stageAfter, stageOf, updateIteration } from '../iterations/iteration.ts';
import { accepted, type CommandEventOf, type Next, next, refuse, type Step } from '../iterations/step.ts';
import { because } from '../phrases/phrases.ts';
import type { Stage } from '../shapes/settings.ts';
import type { AwaitingStage } from '../shapes/standing.ts';
import { readableFrom } from '../shapes/time.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';
import { nextIteration } from './attempt-outcome.ts';
import { awaitAnswers } from './questions.ts';

/**
 * The agent of a stage has finished, and another stage follows. What it put on the branch is the head; people
 * see it first if the configuration wants that, and steers that waited are about it.
 */
export function endStage(state: In<'working'>, event: EventOf<'work_finished'>, following: Stage): Next {
  const { work, at } = event;
  const moved = work.head !== state.head && {
    ...withReport(state),
    ...{ head: work.head, head_at: at, shown: null, approvals: [] },
  };
  const seen: State = {
    ...state,
    ...moved,
    ...(work.skips_ci && { ci_skipped: work.head }),
    ...planOf(state, work),
    times_lost: 0,
    report: work.report,
    iterations: updateIteration(state, { output: work.report.summary, head_after: work.head }),
  };
  return { ...afterStage(seen, event, following), takes_code: true };
}

function planOf({ iteration, attempt }: State, { plan }: EventOf<'work_finished'>['work']) {
  return plan !== undefined && { plan: { ...plan, iteration, attempt } };
}

function afterStage(state: State, event: Event, following: Stage): Next {
  if (state.queue.length > 0) return nextIteration(state, event);
  // As after every human input, the budget is that of a new attempt.
  const waits = awaitAnswers({ ...state, attempts_used: 0 }, event);
  if (waits !== undefined) return waits;
  return stageOf(state).approve ? show(state, event) : goOn(state, following);
}

/** People are asked about what the stage came to. */
function show(state: State, { at }: Event): Next {
  const interaction = openingOf(state, 'stage', at);
  const standing: AwaitingStage = {
    phase: 'awaiting_stage',
    interaction,
    deadline: deadlineAfter(state, at),
  };
  const cameTo = isPlanning(state) ? state.plan?.text : state.report?.summary;
  const subject = `Show people the result of the stage ${stageOf(state).name}${because(cameTo?.trim() ?? '')}`;
  return next(state, { standing }, subject);
}

/** The next stage belongs to the same attempt, which is counted once, however many it has. */
function goOn(state: State, { name }: Stage): Next {
  const attempts_used = Math.max(state.attempts_used - 1, 0);
  const standing = { phase: 'queued', work: 'attempt', goes_on: true } as const;
  return next(state, { stage: name, attempts_used, standing }, `Continue with the stage ${name}`);
}

/** The next stage begins. This is no approval of a commit: nothing said here can let one be merged. */
export function approveStage(state: In<'awaiting_stage'>, event: CommandEventOf<'approve'>): Step {
  const objection = objectionToWay(state, 'approve', wayOf(event.source)) ?? objectionToStage(state, event);
  if (objection !== undefined) return refuse(objection);
  const stage = stageOf(state);
  const by = event.by.login;
  const what = isPlanning(state) ? 'plan' : `stage ${stage.name}`;
  const settled: State = {
    ...state,
    ...settledBy(state, event, { by, how: `approved the ${what}` }),
    // As after every human input, the budget is that of a new attempt.
    ...{ attempts_used: 0, times_lost: 0 },
  };
  const following = stageAfter(state, stage);
  const step =
    state.queue.length > 0 || following === undefined
      ? nextIteration(settled, event)
      : goOn(settled, following);
  return accepted({ ...step, subject: `The ${what} is approved by ${by}` }, event);
}

/** Whoever approves has seen what is on show, and names neither another commit nor verifiers. */
function objectionToStage(
  { standing: { interaction }, head, interactions }: In<'awaiting_stage'>,
  { command, source, at }: CommandEventOf<'approve'>,
): Refusal | undefined {
  if (command.despite.length > 0) return { why: 'not_red', names: command.despite };
  // A review names the commit of its moment, of which we may not have heard; the plan is the same.
  if (source.from !== 'review' && command.sha !== null && !head.startsWith(command.sha))
    return { why: 'other_head', approved: command.sha, head };
  if (source.from === 'click') return undefined;
  const replaced = interactions.some(({ kind }) => kind === 'stage');
  const saidAt = Date.parse(source.from === 'comment' ? source.written_at : at);
  return saidAt < readableFrom(interaction.opened_at, replaced) ? { why: 'just_shown' } : undefined;
}
