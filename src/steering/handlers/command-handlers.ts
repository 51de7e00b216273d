import { queueAttempt, waitedFor } from '../branch/task-dependencies.ts';
import { undoOf } from '../branch/undo-and-update.ts';
import { withPerhapsHeard } from '../iterations/authorship.ts';
import { endedBy, settledBy } from '../iterations/interactions.ts';
import {
  currentIteration,
  isCiSkipped,
  iterationsLeft,
  queueCiStart,
  queueLanding,
  queueWork,
  startIteration,
  steersIn,
  updateIteration,
} from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  closingPull,
  holdsLease,
  type Next,
  next,
  nothing,
  refuse,
  type Step,
  withEffect,
  withReply,
} from '../iterations/step.ts';
import { withoutCall } from '../permission/permitted-calls.ts';
import { because } from '../phrases/phrases.ts';
import { promptSummary, type QueuedSteer, type Steer } from '../shapes/people.ts';
import type { HeldWork, Working, WorkKind } from '../shapes/standing.ts';
import { byTime } from '../shapes/time.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { PendingEffect, ReplyContent } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';

/** Starts the next iteration at once, because no work is in progress. */
export function steerNow(state: State, event: CommandEventOf<'steer'>): Step {
  if (!iterationsLeft(state)) return refuse({ why: 'iterations_used_up', max: state.max_iterations });
  return accepted(startIteration(state, event, [...steersIn(state.queue), steerOf(event)]), event);
}

/** While work is in progress the steer is queued, unless it was given with `--now`. */
export function steerOrQueue(state: State, event: CommandEventOf<'steer'>): Step {
  // Whoever goes back wants the next iteration to begin there.
  return event.command.now && undoOf(state) === undefined ? steerNow(state, event) : queueSteer(state, event);
}

/** The steer waits for the end of the work, or of a pause. */
export function queueSteer(
  state: State,
  event: CommandEventOf<'steer'>,
  why: { readonly untold?: true } = {},
): Step {
  if (!iterationsLeft(state)) return refuse({ why: 'iterations_used_up', max: state.max_iterations });
  const steer: QueuedSteer = { ...steerOf(event), id: event.id, at: event.at };
  const queue = [...state.queue, steer];
  const subject = `Queue steer ${queue.length} from ${event.by.login}: ${promptSummary(steer.prompt)}`;
  const step = next(state, { queue }, subject);
  return withReply(accepted(step, event), event, { say: 'queued', place: queue.length, ...why });
}

/** `/reject` ends the run; its reason is told to later runs of the task. */
export function rejectRun(state: State, event: CommandEventOf<'reject'>): Step {
  const by = event.by.login;
  const { reason } = event.command;
  const standing = { phase: 'rejected', by, reason } as const;
  const subject = `Rejected by ${by}${because(reason)}`;
  const step = next(state, { ...endedBy(state, event, { by, how: 'rejected' }), standing }, subject);
  return accepted(closingPull(step, event), event);
}

/** `/cancel` ends the run, and says nothing against the work. */
export function cancelRun(state: State, event: CommandEventOf<'cancel'>): Step {
  const by = event.by.login;
  const standing = { phase: 'cancelled', by, reason: 'cancelled' } as const;
  const changed = { ...endedBy(state, event, { by, how: 'cancelled' }), standing };
  const step = next(state, changed, `Cancelled by ${by}`);
  return accepted(closingPull(step, event), event);
}

/** Puts work that was allowed on the branch again. */
export function retryLanding(state: State, event: CommandEventOf<'retry'>, held: HeldWork): Step {
  const subject = `Retry requested by ${event.by.login}`;
  return accepted(queueLanding({ ...state, times_lost: 0 }, held, subject), event);
}

/** `/verify` runs the verifiers on the head once more, or lets the CI run that was skipped there. */
export function verifyAgain(state: State, event: CommandEventOf<'verify'>): Step {
  const settled = { ...state, ...settledBy(state, event, { by: event.by.login, how: 'verified again' }) };
  if (event.command.ci && isCiSkipped(state))
    return accepted(queueCiStart(settled, `CI allowed by ${event.by.login}`), event);
  return accepted(queueWork(settled, 'verify_head', `Verification requested by ${event.by.login}`), event);
}

/** Resuming renews the budget of attempts, as every human input does. */
export function resumeWith(state: State, event: CommandEventOf<'resume'>, work: WorkKind): Step {
  const subject = `Resumed by ${event.by.login}`;
  const fresh: State = { ...state, times_lost: 0 };
  const step =
    work === 'attempt'
      ? queueAttempt({ ...fresh, attempts_used: 0 }, waitedFor(state) ?? [], subject)
      : queueWork(fresh, work, subject);
  return accepted(step, event);
}

function steerOf({ command, by, source }: CommandEventOf<'steer'>): Steer {
  const agent = command.with === undefined ? {} : { with: command.with };
  return { prompt: command.prompt, author: by.login, author_id: by.id, source, ...agent };
}

/** Beyond this many in one iteration, a steer begins the next. */
const maxTold = 10;

/**
 * With `--now` the agent at work is told, if it can be; otherwise it is stopped, and the next iteration
 * begins. Where the configuration says that every steer is told, one without `--now` never stops an agent.
 */
export function steerAgent(state: In<'working'>, event: CommandEventOf<'steer'>): Step {
  const { now, with: agent, prompt } = event.command;
  if (!now && state.settings.steering.while_working !== 'tell') return steerOrQueue(state, event);
  if (agent !== undefined || !canBeTold(state))
    return now ? steerNow(withoutAgent(state, event), event) : queueSteer(state, event, { untold: true });
  const steer: QueuedSteer = { ...steerOf(event), id: event.id, at: event.at };
  const { standing } = state;
  const telling = [...(standing.telling ?? []), steer];
  const subject = `Tell the agent at work, from ${event.by.login}: ${promptSummary(prompt)}`;
  return accepted(next(state, { standing: { ...standing, telling } }, subject), event);
}

/** Only who speaks a protocol can be told anything. */
function canBeTold({ standing, settings, ...state }: In<'working'>): boolean {
  const { use } = settings.agent;
  if (use === 'command' || use === 'scripted' || standing.held !== undefined) return false;
  const told = currentIteration({ ...state, standing, settings }).steers.filter((steer) => steer.told);
  return told.length + (standing.telling ?? []).length < maxTold;
}

/** The agent has been told, or cannot be. */
export function told(state: In<'working'>, event: EventOf<'steer_told'>): Step {
  const { standing } = state;
  const steer = standing.telling?.find(({ id }) => id === event.steer);
  if (!holdsLease(state, event.hold) || steer === undefined) return nothing;
  const { how } = event;
  if (how === 'unable') return notTold(state, event, steer);
  const iterations = withWords(state, { ...steersIn([steer])[0], told: how } as Steer);
  const subject = `The agent at work was told what ${steer.author} wrote`;
  const step = next(state, { standing: without(standing, steer), iterations }, subject);
  return replied(step, event, steer, { say: 'told', how });
}

/** As a steer for an agent that cannot be told anything: what else is on its way to it goes with it. */
function notTold(state: In<'working'>, event: EventOf<'steer_told'>, steer: QueuedSteer): Step {
  if (iterationsLeft(state) && state.settings.steering.while_working === 'tell') {
    const queue = [...state.queue, steer].sort(byTime);
    const queued = { standing: without(state.standing, steer), queue };
    const subject = `Queue steer ${queue.length} from ${steer.author}: ${promptSummary(steer.prompt)}`;
    const words = { say: 'queued', place: queue.indexOf(steer) + 1, untold: true } as const;
    return replied(next(withPerhapsHeard(state, [steer]), queued, subject), event, steer, words);
  }
  if (iterationsLeft(state)) {
    const ended = withoutAgent(state, event);
    const step = startIteration(ended, event, steersIn(ended.queue));
    return replied(step, event, steer, { say: 'told', how: 'unable' });
  }
  const standing = without(state.standing, steer);
  const subject = `Drop a steer from ${steer.author}, which came too late`;
  return next(withoutSteers(state, [steer], event), { standing }, subject);
}

function without({ telling = [], ...rest }: Working, steer: QueuedSteer): Working {
  const others = telling.filter((each) => each !== steer);
  return { ...rest, ...(others.length > 0 && { telling: others }) };
}

/**
 * The state when its agent ends: it waits for nobody, and what it was not told begins the next iteration, if
 * one is left.
 */
export function withoutAgent(state: In<'working'>, event: Event): In<'working'> {
  const { telling = [], ...standing } = state.standing;
  if (telling.length === 0) return withoutCall(state, event);
  if (!iterationsLeft(state))
    return withoutCall({ ...withoutSteers(state, telling, event), standing }, event);
  const queue = [...telling, ...state.queue].sort(byTime);
  return withoutCall({ ...withPerhapsHeard(state, telling), standing, queue }, event);
}

/** The state in which these steers come to nothing, and their authors are told so. */
function withoutSteers<S extends State>(state: S, steers: readonly QueuedSteer[], { id }: Event): S {
  const words = { say: 'told', how: 'too_late' } as const;
  const replies = steers.map(
    ({ author: to }, nth): PendingEffect => ({ id: `${id}:too_late:${nth}`, do: 'reply', words, to }),
  );
  return { ...withPerhapsHeard(state, steers), owed: [...state.owed, ...replies] };
}

function withWords(state: State, steer: Steer): State['iterations'] {
  const { steers, prompt } = currentIteration(state);
  const words = prompt === '' ? steer.prompt : `${prompt}\n\n${steer.prompt}`;
  return updateIteration(state, { steers: [...steers, steer], prompt: words });
}

function replied(step: Next, { id }: EventOf<'steer_told'>, steer: QueuedSteer, words: ReplyContent): Next {
  return withEffect(step, { id: `${id}:reply`, do: 'reply', words, to: steer.author });
}

/** A handler of an event with which the agent ends, unless it is only what became of a former holder. */
export function ending<E extends Event>(
  handle: (state: In<'working'>, event: E) => Step,
): (state: In<'working'>, event: E) => Step {
  return (state, event) => {
    const isOfAnother = 'hold' in event && !holdsLease(state, event.hold);
    return handle(isOfAnother ? state : withoutAgent(state, event), event);
  };
}

type Edit = EventOf<'comment_changed'>;

/** A queued steer follows its comment, where that is edited by its author. */
export function followEdit(state: State, event: Edit): Step {
  return followIn(state, event, { steers: state.queue, with: (queue) => ({ ...state, queue }) });
}

/** A steer on its way to the agent does so as well; perhaps the agent has just heard the former words. */
export function followEditAtWork(state: In<'working'>, event: Edit): Step {
  const { telling: steers = [], ...standing } = state.standing;
  const step = followIn(state, event, {
    steers,
    with: (telling) => ({
      ...withPerhapsHeard(
        state,
        steers.filter((steer) => !telling.includes(steer)),
      ),
      standing: { ...standing, ...(telling.length > 0 && { telling }) },
    }),
  });
  return step === nothing ? followEdit(state, event) : step;
}

interface Waiting {
  readonly steers: readonly QueuedSteer[];
  readonly with: (steers: readonly QueuedSteer[]) => State;
}

function followIn(state: State, event: Edit, waiting: Waiting): Step {
  const { steers } = waiting;
  const at = steers.findIndex(({ source }) => isComment(source, event));
  if (at < 0) return nothing;
  const place = at + 1;
  if (!event.by_author) {
    const step = next(state, {}, `Keep queued steer ${place}: ${event.by} is not its author`);
    return withReply(step, event, { say: 'unchanged', place });
  }
  const { text } = event;
  const edited =
    text === null
      ? steers.toSpliced(at, 1)
      : steers.map((steer, index) => (index === at ? { ...steer, prompt: text } : steer));
  const say = text === null ? 'withdrawn' : 'changed';
  const subject = `Queued steer ${place} ${say} by ${event.by}`;
  return withReply(next(waiting.with(edited), {}, subject), event, { say, place });
}

function isComment(source: QueuedSteer['source'], { comment_id }: Edit): boolean {
  return source.from === 'comment' && source.comment_id === comment_id;
}
