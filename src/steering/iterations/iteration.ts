import { failingLines, flakinessOf } from '../confidence/verifier-results.ts';
import { bounded } from '../phrases/phrases.ts';
import type { BlockedHost, Cost, GateHit, VerifierOutput, Work } from '../shapes/attempt-result.ts';
import { rulesIn } from '../shapes/gate-rules.ts';
import {
  type BudgetName,
  type Limits,
  limits,
  type RaisableLimit,
  raisableLimits,
} from '../shapes/limits.ts';
import { type Account, isSame, type QueuedSteer, type Steer, summaryOf } from '../shapes/people.ts';
import type { HeldWork, WorkKind } from '../shapes/standing.ts';
import type { EventOf, Stamp } from '../state/event.ts';
import type { AttemptRecord, State, SteeringIteration } from '../state/state.ts';
import { stageAnew, stageOf } from './attempt-stages.ts';
import { withContributors } from './authorship.ts';
import { settingAside, settledBy } from './interactions.ts';
import { type Next, next } from './step.ts';

/** The current iteration, which is the last in the list. */
export function currentIteration(state: State): SteeringIteration {
  const current = state.iterations.at(-1);
  if (current === undefined) throw new Error(`run ${state.run.id} has no iteration`);
  return current;
}

/** An iteration of which nothing is known yet but its steers. */
export function openIteration(
  number: number,
  at: string,
  from: { head: string; steers: readonly Steer[] },
): SteeringIteration {
  return {
    iteration_number: number,
    prompt: from.steers.map((steer) => steer.prompt).join('\n\n'),
    timestamp: at,
    steers: from.steers,
    files_modified: [],
    output: '',
    head_before: from.head,
    head_after: from.head,
    attempts: 0,
    score: null,
    verifiers: [],
    cost: {},
    duration_s: 0,
    landed: false,
  };
}

/** However often a run is extended: its state keeps every iteration. */
export const mostIterations = 100;

/** Whether one more iteration is allowed; all queued steers count as one. */
export function iterationsLeft(state: State): boolean {
  return state.iteration < state.max_iterations;
}

/** Starts the next iteration with these steers; all approvals are void. */
export function startIteration(state: State, event: Stamp, steers: readonly Steer[]): Next {
  const number = state.iteration + 1;
  const authors = [...new Set(steers.map((steer) => steer.author))].join(', ');
  const summary = summaryOf(steers.map(({ prompt }) => prompt).join(' '));
  const subject = `Start iteration ${number}, steered by ${authors}${summary && `: ${summary}`}`;
  const agent = steers.findLast((steer) => steer.with !== undefined)?.with;
  const { update } = currentIteration(state);
  // Whoever steers a merge that is not done yet has it done in their words.
  const merging = update?.done === false ? update : undefined;
  const end = { by: authors, how: 'steered' };
  const changed: Partial<State> = {
    ...newIteration(state, event, end, { steers, ...(merging && { update: merging }) }),
    ...{ approvals: [], queue: [] },
    ...(merging && { merges_base: true }),
    standing: { phase: 'queued', work: 'attempt' },
    ...stageAnew(state),
    ...(agent !== undefined && handedTo(state, agent)),
  };
  return next(withoutObservations(state), changed, subject);
}

/**
 * What changes with a new iteration, whoever begins it: the one before has landed, with `end` for whatever
 * was open in it, and the attempts are counted anew. `row` is what the table says of the new one.
 */
export function newIteration(
  state: State,
  event: Stamp,
  end: { readonly by: string; readonly how: string },
  row: Partial<SteeringIteration>,
): Partial<State> {
  const number = state.iteration + 1;
  const opened = openIteration(number, event.at, { head: state.head, steers: row.steers ?? [] });
  const before = updateIteration(state, { landed: true, attempts: state.attempt });
  return {
    ...settledBy(state, event, end),
    ...settingAside(state),
    ...{ iteration: number, attempt: 0, attempts_used: 0, times_lost: 0, attempts: [] },
    iterations: [...before, { ...opened, ...row }],
  };
}

/**
 * The task with the agent of this name, as if it had chosen that one itself: whenever the configuration is
 * read again, it is chosen again. No worker profile has the name of an agent of ours.
 */
export function handedTo(
  { task, overrides, settings: { profiles = [] } }: State,
  agent: string,
): Pick<State, 'task' | 'overrides'> {
  if (!profiles.includes(agent)) return { task, overrides: { ...overrides, agent } };
  const { agent: _, ...others } = overrides ?? {};
  return { task: { ...task, worker_profile: agent }, ...(overrides && { overrides: others }) };
}

/** The steers in the queue, without the queue's bookkeeping. */
export function steersIn(queue: readonly QueuedSteer[]): readonly Steer[] {
  return queue.map(({ id: _, at: __, ...steer }) => steer);
}

/** The work is due as soon as an engine has room. */
export function queueWork(state: State, work: WorkKind, subject: string): Next {
  return next(state, { standing: { phase: 'queued', work } }, subject);
}

/** The number of the attempt that is due or under way; a later stage belongs to the same one. */
export function attemptDue({ standing, attempt }: State): number {
  const isNew = standing.phase === 'queued' && standing.work === 'attempt' && !standing.goes_on;
  return isNew ? attempt + 1 : attempt;
}

/** The CI of the repository may run on the head, which then is a new one and verified again. */
export function queueCiStart(state: State, subject: string): Next {
  return next(state, { standing: { phase: 'queued', work: 'verify_head', starts_ci: true } }, subject);
}

/** Whether the CI of the repository has not run on the head, because nobody has let it. */
export function isCiSkipped({ ci_skipped, head }: State): boolean {
  return ci_skipped === head;
}

/** Held work that a human allowed is put on the branch, once an engine has room. */
export function queueLanding(state: State, held: HeldWork, subject: string): Next {
  return next(state, { standing: { phase: 'queued', work: 'land', held } }, subject);
}

/** Updates the current iteration with the result of an attempt or a verification. */
export function updateIteration(
  state: State,
  changed: Partial<SteeringIteration>,
): readonly SteeringIteration[] {
  return [...state.iterations.slice(0, -1), { ...currentIteration(state), ...changed }];
}

/** What is recorded of an attempt for later ones and for people. */
export function attemptRecord(state: State, ended: EndedAttempt): AttemptRecord {
  const { outcome, failure, kept_ref, verifiers = [], gates = [], files = [], cost = {} } = ended;
  const { subject, duration_s } = ended;
  const rules = rulesIn(gates);
  return {
    attempt: state.attempt,
    ...(outcome === 'failed' && state.settings.stages && { stage: stageOf(state).name }),
    outcome,
    head: state.head,
    failure,
    ...(kept_ref !== undefined && { kept_ref }),
    summary: failure?.message ?? state.report?.summary ?? '',
    verifiers: verifiers.map((output) => ({
      ...{ name: output.name, success: output.success, exit_code: output.exit_code },
      ...(!output.success && { said: failingLines(output) }),
      ...(!output.required && { required: output.required }),
      ...flakinessOf(output),
    })),
    ...(subject !== undefined && { subject }),
    ...(files.length > 0 && { files }),
    ...(rules.length > 0 && { gates: rules }),
    ...(Object.keys(cost).length > 0 && { cost }),
    duration_s,
  };
}

/** What is recorded of an agent that has finished, whatever becomes of its work. */
export function madeBy({ changes, cost }: Work): Required<Pick<AttemptRecord, 'files' | 'cost'>> {
  return { files: changes.files.slice(0, maxFiles).map(({ path }) => bounded(path, maxPath)), cost };
}

const maxFiles = 50;
const maxPath = 300;

type Known = 'outcome' | 'failure' | 'kept_ref' | 'subject' | 'files' | 'cost' | 'duration_s';

interface EndedAttempt extends Pick<AttemptRecord, Known> {
  readonly verifiers?: readonly VerifierOutput[];
  readonly gates?: readonly GateHit[] | undefined;
}

/**
 * The iteration in which the head was evaluated, or else put on the branch, by whomever. Times do not tell: a
 * steer can be older than the evaluation that was under way when it was heard, and clocks differ.
 */
export function iterationShown({ iterations, shown, head }: State): number {
  const isEvaluated = ({ score, head_after }: SteeringIteration) =>
    shown !== null && score !== null && head_after === head;
  const isOf = (each: SteeringIteration) => each.head_before !== head || isEvaluated(each);
  return iterations.findLast(isOf)?.iteration_number ?? 0;
}

/** What the models of a run have cost so far, in all its attempts, also in those that failed. */
export function spentBefore({ iterations }: Pick<State, 'iterations'>): Cost {
  return iterations.reduce<Cost>((sum, { cost }) => add(sum, cost), {});
}

/** The same, with what those runs have cost in whose place it is. */
export function spentWithFormer({ iterations, replaces }: Pick<State, 'iterations' | 'replaces'>): Cost {
  return add(spentBefore({ iterations }), replaces?.spent ?? {});
}

/** What counts towards a limit so far; what is of one attempt is counted anew by each. */
export function spentOf(state: State, limit: RaisableLimit): number {
  const { tokens = 0, usd = 0 } = spentBefore(state);
  return { tokens, cost_usd: usd, tool_calls: 0 }[limit];
}

/** Whether people have raised a limit of the run so far that it is not used up any more. */
export function isRaisedEnough(state: State, budget: BudgetName | undefined): boolean {
  const limit = raisableLimits.find((name) => name === budget);
  if (limit === undefined || limits[limit].of === 'attempt') return false;
  const { [limit]: most } = limitsOf(state);
  return state.raised?.[limit] !== undefined && most !== undefined && spentOf(state, limit) < most;
}

/** The state with a cost added to the current iteration. */
export function withCost<S extends State>(state: S, cost: Cost): S {
  const sum = add(currentIteration(state).cost, cost);
  return { ...state, iterations: updateIteration(state, { cost: sum }) };
}

/** The limits of a run with what people added to them, within what the operator allows by now. */
export function limitsOf({ settings, raised = {} }: State): Limits {
  const { limits: configured, most = {} } = settings;
  const more = raisableLimits.flatMap((limit) => {
    const [own, added] = [configured[limit], raised[limit]];
    return own === undefined || added === undefined
      ? []
      : [[limit, Math.min(own + added, most[limit] ?? Infinity)] as const];
  });
  return { ...configured, ...Object.fromEntries(more) };
}

function add(one: Cost, other: Cost): Cost {
  const tokens = (one.tokens ?? 0) + (other.tokens ?? 0);
  const usd = Math.round(((one.usd ?? 0) + (other.usd ?? 0)) * 1e9) / 1e9;
  return { ...(tokens > 0 && { tokens }), ...(usd > 0 && { usd }) };
}

/** The state with this time, in seconds, added to what the current iteration has taken. */
export function withTime<S extends State>(state: S, seconds: number): S {
  const duration_s = sumOfSeconds(currentIteration(state).duration_s, seconds);
  return { ...state, iterations: updateIteration(state, { duration_s }) };
}

/** To a tenth, as durations are measured: sums of such numbers would show what is only binary rounding. */
export function sumOfSeconds(one: number, other: number): number {
  return Math.round((one + other) * 10) / 10;
}

/** How many blocked hosts are kept; a program may want any number. */
const maxBlocked = 20;

const maxNotices = 10;

type Observing = EventOf<'work_finished' | 'work_held' | 'work_failed' | 'work_parked' | 'verified'>;

/**
 * The state with what the programs of this event met. Programs that have run again say anew what was blocked:
 * what they reach by now is no longer shown.
 */
export function observed<S extends State>(state: S, event: Observing): S {
  const { blocked: earlier = [], notices: said = [], ...rest } = state;
  const blocked = distinct([
    ...earlier.filter((each) => !hasRunAgain(state, each)),
    ...(event.blocked ?? []),
  ]);
  const notices = [...new Set([...said, ...(event.notices ?? [])])];
  return {
    ...rest,
    ...(blocked.length > 0 && { blocked: blocked.slice(0, maxBlocked) }),
    ...(notices.length > 0 && { notices: notices.slice(0, maxNotices) }),
    ...withContributors(state, heardBy(state, event)),
  } as unknown as S; // the same but for these, which every state may have
}

/** Whose words the agent was given; for whoever asked for the run there is a rule of its own. */
function heardBy({ requested_by }: State, { heard = [] }: Observing): readonly Account[] {
  return heard.filter((each) => !isSame(each, requested_by));
}

/** What an agent did unasked stays a reason to look for the whole run: what it did is done. */
export function withRan<S extends State>(state: S, ran: readonly GateHit[] = []): S {
  if (ran.length === 0) return state;
  const all = [...(state.ran ?? []), ...ran];
  const names = all.map(({ rule, evidence }) => `${rule} ${evidence}`);
  const distinct = all.filter((_, index) => names.indexOf(names[index] ?? '') === index);
  return { ...state, ran: someOfEach(distinct, maxRan) };
}

const maxRan = 100;

/** At most so many hits, in their order: however many one rule has, they take no other rule's place. */
export function someOfEach(hits: readonly GateHit[], max: number): readonly GateHit[] {
  const counts = new Map<string, number>();
  const numbered = hits.map((hit) => {
    const of = `${hit.severity} ${hit.rule}`;
    const nth = (counts.get(of) ?? 0) + 1;
    counts.set(of, nth);
    return { hit, nth };
  });
  const kept = numbered.toSorted((one, other) => one.nth - other.nth).slice(0, max);
  return hits.filter((hit) => kept.some((each) => each.hit === hit));
}

/** The state of a new iteration, whose programs have met nothing yet. */
export function withoutObservations(state: State): State {
  const { blocked: _, notices: __, ...rest } = state;
  return rest;
}

/**
 * Setup runs before the agent and again before the verifiers, which do not run while work is put on a
 * branch.
 */
function hasRunAgain({ standing }: State, { use }: BlockedHost): boolean {
  if (standing.phase === 'verifying') return use === 'verifiers';
  return standing.phase === 'working' && standing.held === undefined && use !== 'verifiers';
}

function distinct(hosts: readonly BlockedHost[]): readonly BlockedHost[] {
  const nameOf = ({ host, use, command }: BlockedHost) => JSON.stringify([host, use, command]);
  const names = hosts.map(nameOf);
  return hosts.filter((each, index) => names.indexOf(nameOf(each)) === index);
}
