import { profileProblem } from '../../config/agent-choices.ts';
import { modelProblem } from '../../config/model-problem.ts';
import { problemText } from '../../config/schema/config-problem.ts';
import { GitError } from '../../git/git.ts';
import { isAncestor, onlyMergesBase } from '../../git/merges.ts';
import type { Told } from '../../github/listen/heard.ts';
import { slugOf } from '../../github/own.ts';
import { membershipsOf } from '../../github/read/roles.ts';
import { agentUses } from '../../profiles/index.ts';
import {
  askedBy,
  misconfiguration,
  type SettingsReading,
  tightenedBy,
  united,
} from '../../repository/configuration.ts';
import { messageOf } from '../../repository/faults.ts';
import { answeringTeams, approvalRules, teamsIn } from '../../steering/approval/approval-needs.ts';
import { followsApproval } from '../../steering/approval/authorization.ts';
import { isAlwaysAnswered } from '../../steering/approval/reply-limit.ts';
import { isNewBase, isUndoneOn, retargetId } from '../../steering/branch/outdated-answers.ts';
import type { CommandOf } from '../../steering/commands/index.ts';
import { interactionsOf } from '../../steering/iterations/interactions.ts';
import { handedTo } from '../../steering/iterations/iteration.ts';
import { mayEnd } from '../../steering/objections.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { TaskChanges, TaskFacts } from '../../steering/shapes/task.ts';
import type { Event, EventOf, Stamp } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import { catchUpBefore, changeOf, mayMatter } from '../run/catch-up.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Prepared, Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';

/**
 * Completes an event before it is decided, or passes it over: an edit of nothing that waits, and too much
 * from people without write access. What was missed is recorded first where people decide about a task that
 * failed, and what would end a run takes back what permits merging.
 */
export async function prepare(told: Told, run: Run, runs: RepositoryRuns): Promise<Prepared> {
  if (!(await mayMatter(told, run))) return { passedOver: 'no steer of that comment waits' };
  const isStranger = told.type === 'said' && !isAlwaysAnswered(told.by.role);
  if (isStranger && !run.services.strangers.mayAnswer(run.repository.id, told)) {
    run.passedOver.set(told.id, true);
    return { passedOver: 'too much from people without write access' };
  }
  await catchUpBefore(told, run);
  const event = await withFacts(told, run, runs);
  if (event === undefined) return { passedOver: 'it has been undone, or is no news' };
  if (mayEnd(event) && (await isApproved(run))) await run.withhold(event);
  return { event };
}

/** As far as it can be read: what cannot be recorded either, whoever records it sees to. */
async function isApproved(run: Run): Promise<boolean> {
  const state = await run.state().catch(() => run.newest);
  return state?.standing.phase === 'approved';
}

/**
 * The event with everything that Git, GitHub, the configuration and this process have to say before it can be
 * decided: what is asked, by the kind of the event. Undefined if it has been undone, or is no news.
 */
async function withFacts(event: Told, run: Run, runs: RepositoryRuns): Promise<Event | undefined> {
  switch (event.type) {
    case 'said':
      return {
        ...event,
        ...(await findCopy(event, run)),
        ...(await factsOfCommand(event, run, runs)),
        ...(await findTeams(event, run)),
      };
    case 'pushed':
      return { ...event, ...(await findPushFacts(event, run)) };
    case 'closed':
    case 'reopened':
      return (await isUndone(event, run)) ? undefined : event;
    case 'retargeted':
      return withSettings(event, run);
    case 'dequeued': {
      // What failed on the merge group, if something did and this process knows what.
      const isOfChecks = event.because === 'checks' || event.because === 'unknown';
      const details = isOfChecks ? runs.groups.failures.get(run.number) : undefined;
      return details === undefined ? event : { ...event, details };
    }
    default:
      return event;
  }
}

/** People without write access may use none of these commands, and must not make us fetch. */
async function factsOfCommand(
  { command, by }: EventOf<'said'>,
  run: Run,
  runs: RepositoryRuns,
): Promise<SaidFacts> {
  if (!isAlwaysAnswered(by.role)) return {};
  switch (command.type) {
    case 'steer':
      return findAgentFacts(command, run);
    case 'update':
      return findBranchFacts(run);
    case 'retry':
    case 'spawn':
      return findTaskFacts(command, run, runs);
    default:
      return {};
  }
}

/** Whether the branch has everything of its base, for a command that would merge that. */
async function findBranchFacts(run: Run): Promise<SaidFacts> {
  const state = await run.state();
  if (state === undefined) return {};
  const mirror = await run.repository.mirror();
  await mirror.fetch();
  const tip = await mirror.resolve(`refs/heads/${state.run.base}`);
  const head = await mirror.resolve(`refs/heads/${state.run.branch}`);
  if (tip === undefined || head === undefined) return {};
  const has = await mirror.reading(() => isAncestor(mirror.dir, tip, head));
  return has ? { up_to_date: true } : {};
}

/**
 * Whether a push only merges the base branch, as the button "Update branch" does. That matters only to a run
 * that was on show, so before that nothing is read. A push of which Git cannot tell is recorded like any
 * other: it must revoke an approval, however long a fetch of what was pushed takes.
 */
async function findPushFacts(
  event: EventOf<'pushed'>,
  run: Run,
): Promise<Pick<EventOf<'pushed'>, 'merges_base'>> {
  if (event.forced) return {};
  const state = await run.state();
  if (state === undefined || interactionsOf(state).length === 0) return {};
  const isMerge = await mergesBase(event, state, run).catch((fault: unknown) => {
    run.services.log.warn(`could not tell what was pushed to ${run.name}: ${messageOf(fault)}`);
    return false;
  });
  return isMerge ? { merges_base: true } : {};
}

async function mergesBase(
  { before, head: after }: EventOf<'pushed'>,
  { run: { base, branch } }: State,
  { repository }: Run,
): Promise<boolean> {
  const mirror = await repository.mirror();
  await mirror.fetchBranches(base, branch);
  return onlyMergesBase(mirror.dir, { before, after, base: `refs/heads/${base}` });
}

/**
 * What a door has sealed counts once. With a token of our App for a person, others could post the same
 * comment again while its seal is sound; the seal of each is another, so that the second is such a copy, and
 * not the person's own word.
 */
async function findCopy({ source: from }: EventOf<'said'>, run: Run): Promise<SaidFacts> {
  if (from.from !== 'comment' || from.door === undefined) return {};
  const { door: _, ...source } = from;
  const { comment_id, text_sha256 } = source;
  const first = run.sealed.get(text_sha256) ?? comment_id;
  run.sealed.set(text_sha256, first);
  const isOther = (each: Event) =>
    each.type === 'said' &&
    each.source.from === 'comment' &&
    each.source.text_sha256 === text_sha256 &&
    each.source.comment_id !== comment_id;
  if (first === comment_id && !(await run.ledger.events()).some(isOther)) return {};
  return { source, via_app: slugOf(run.repository.own.login) };
}

/** Why the run cannot be handed to the agent that a steer names, if it names one. */
async function findAgentFacts({ with: agent }: CommandOf<'steer'>, run: Run): Promise<SaidFacts> {
  if (agent === undefined) return {};
  const state = await run.state();
  if (state === undefined) return {};
  const handed = handedTo(state, agent);
  const reading = await run.readSettings({ base: state.run.base, ...askedBy({ ...state, ...handed }) });
  if (reading.outcome === 'misconfigured') return { agent_problem: misconfiguration(reading) };
  const { settings } = reading;
  // Of what else the task asks for, everything is as it was.
  const chosen = handed.task === state.task ? 'agent' : 'worker_profile';
  const refused = settings.ignored?.find((problem) => problem.startsWith(chosen));
  const { modelKeys, operator } = run.services;
  const problem =
    (refused && withProfiles(refused, { known: state.settings, now: settings, agent })) ??
    (modelKeys && modelProblem(settings, modelKeys, operator.bounds?.network));
  return problem === undefined ? {} : { agent_problem: problem };
}

interface Named {
  /** What the run has gone by since its last attempt began. */
  readonly known: Pick<Settings, 'profiles'>;
  readonly now: Pick<Settings, 'profiles'>;
  readonly agent: string;
}

/** A name that is no agent's of ours may be one under `agents` with a slip, or one that is new there. */
function withProfiles(refused: string, { known: { profiles = [] }, now, agent }: Named): string {
  if (agentUses.some((use) => use === agent)) return refused;
  if (now.profiles?.includes(agent) && !profiles.includes(agent))
    return 'it is under agents only since the last attempt began; a block after /retry can name it as worker_profile';
  return profiles.length === 0 ? refused : `${refused}; the names under agents are ${profiles.join(', ')}`;
}

/**
 * The teams of whoever says something that people in teams decide, as GitHub says now. Throws if it does not
 * say, as for a role. A workflow's token cannot read teams, so there nobody is in one.
 */
async function findTeams({ command, by }: EventOf<'said'>, run: Run): Promise<SaidFacts> {
  if (by.bot || run.services.presenter === 'action') return {};
  const name = command.type === 'misspoken' ? command.name : command.type;
  if (name !== 'answer' && !followsApproval(name)) return {};
  const state = await run.state();
  const asked =
    state === undefined ? [] : name === 'answer' ? answeringTeams(state) : teamsIn(approvalRules(state));
  if (asked.length === 0) return {};
  const { teams, unread_teams } = await membershipsOf(run.repository.octokit, by.login, asked);
  return { by: { ...by, teams, ...(unread_teams.length > 0 && { unread_teams }) } };
}

/** What is found out about a command. */
type SaidFacts = Partial<Omit<EventOf<'said'>, keyof Stamp | 'type'>>;

type Describing = CommandOf<'retry' | 'spawn'>;

/** What is found of the tasks that a command describes, if it describes any. */
async function findTaskFacts(command: Describing, run: Run, runs: RepositoryRuns): Promise<SaidFacts> {
  const tasks = tasksIn(command);
  const state = tasks.length === 0 ? undefined : await run.state();
  if (state === undefined) return {};
  const profiles = await profilesOf(tasks, state, run);
  const facts = taskFacts(command, { ...state, profiles }, run.services);
  const names = tasks.flatMap(({ depends_on = [] }) => depends_on).filter((name) => name.startsWith('#'));
  if (names.length === 0) return { task_facts: facts };
  const { issue, number, base } = state.run;
  // What takes the place of a task is part of its issue, too, which is closed with the last one of all.
  const own = issue === null ? [number] : [issue, number];
  const { on, problems } = await dependenciesOf(runs, { base, own, names });
  const all = [...facts.problems, ...problems];
  return { task_facts: { ...facts, problems: all, ...(on.length > 0 && { on }) } };
}

function tasksIn(command: Describing): readonly TaskChanges[] {
  if (command.type === 'spawn') return command.tasks;
  return command.changes === undefined ? [] : [command.changes];
}

/** The settings with each worker profile that one of the tasks chooses, as the configuration now has it. */
async function profilesOf(
  tasks: readonly TaskChanges[],
  state: State,
  run: Run,
): Promise<ReadonlyMap<string, SettingsReading>> {
  const chosen = new Set(tasks.flatMap(({ worker_profile }) => worker_profile ?? []));
  const { base } = state.run;
  const read = [...chosen].map(async (worker_profile) => {
    const reading = await run.readSettings({ base, ...askedBy(state), worker_profile });
    return [worker_profile, reading] as const;
  });
  return new Map(await Promise.all(read));
}

type Checking = Pick<Services, 'operator' | 'modelKeys'>;

interface Known extends Pick<State, 'settings' | 'overrides' | 'task'> {
  readonly profiles?: ReadonlyMap<string, SettingsReading>;
}

/** What the configuration says to the tasks of a command, and what a retry tightens from then on. */
export function taskFacts(command: Describing, state: Known, checking: Checking): TaskFacts {
  const tasks = tasksIn(command);
  const problems = tasks.flatMap((task, index) =>
    problemsOf(task, state, checking).map((problem) =>
      tasks.length === 1 ? problem : `task ${index + 1}, ${problem}`,
    ),
  );
  if (command.type !== 'retry') return { problems };
  const overrides = united(state.overrides ?? {}, command.changes?.overrides ?? {});
  return { problems, ...(Object.keys(overrides).length > 0 && { overrides }) };
}

/** Why a task cannot take the place of another, or of its words; its own settings only tighten what holds. */
function problemsOf(
  { overrides = {}, worker_profile = '' }: TaskChanges,
  { profiles, ...known }: Known,
  { operator: { bounds = {} }, modelKeys }: Checking,
): readonly string[] {
  const reading = profiles?.get(worker_profile);
  if (reading?.outcome === 'misconfigured') return [misconfiguration(reading)];
  const now = reading === undefined ? known : { ...known, settings: reading.settings };
  const { fresh, problems, settings } = tightenedBy(overrides, now, bounds);
  const isNew = worker_profile !== '' && worker_profile !== known.task.worker_profile;
  const unknown =
    profileProblem(settings, worker_profile) ??
    (isNew && !('agent' in fresh) ? hiddenProfile(known) : undefined);
  const isOther =
    problems.length === 0 && unknown === undefined && (reading !== undefined || 'agent' in fresh);
  const keyless = isOther ? modelKeys && modelProblem(settings, modelKeys, bounds.network) : undefined;
  return [...problems.map(problemText), ...[unknown, keyless].flatMap((each) => each ?? [])];
}

/** An agent that was chosen before goes before any profile. */
function hiddenProfile({ overrides: { agent } = {} }: Pick<State, 'overrides'>): string | undefined {
  if (agent === undefined) return undefined;
  const use = typeof agent === 'string' ? agent : Object(agent).use;
  return `worker_profile: the task has the agent ${use}, which goes before that of a profile; write \`agent\` instead`;
}

/**
 * Whether the pull request was closed, or reopened, and is no longer. Deliveries arrive late and out of
 * order, and what has been undone since must not end a run or pause it; only merging cannot be undone.
 */
async function isUndone(event: EventOf<'closed' | 'reopened'>, run: Run): Promise<boolean> {
  if (event.type === 'closed' && event.merged) return false;
  return isUndoneOn(await run.pull(), event);
}

/**
 * A change of base, as it is now and with the settings for it; undefined if the ledger has this base, or
 * there is no ledger, because the pull request is no run.
 */
async function withSettings(
  told: Extract<Told, { type: 'retargeted' }>,
  run: Run,
): Promise<EventOf<'retargeted'> | undefined> {
  const known = await run.readLedger();
  if (known === undefined) return undefined;
  const { state, seen } = known;
  const pull = await run.pull();
  const { base_ref: base, default_branch } = pull;
  if (!isNewBase(state, pull)) return undefined;
  const same_commit = await isSameCommit(run, { before: state.run.base, now: base });
  const reading = await run.readSettings({ base, default_branch, ...askedBy(state) });
  const settings = reading.outcome === 'configured' ? reading.settings : null;
  const { at, by } = told.base === base ? told : await changeOf(run, pull);
  const id = retargetId({ base, at }, { seen, seq: state.seq });
  return { type: 'retargeted', id, at, base, settings, same_commit, by };
}

/** Whether the new base is where we last saw the former one, which need not exist any more. */
async function isSameCommit(
  { repository }: Run,
  { before, now }: { readonly before: string; readonly now: string },
): Promise<boolean> {
  const mirror = await repository.mirror();
  const seen = await mirror.resolve(`refs/heads/${before}`);
  try {
    await mirror.fetchBranches(now);
  } catch (fault) {
    // The new base is gone already; the verification finds out.
    if (fault instanceof GitError && /couldn't find remote ref/.test(fault.stderr)) return false;
    throw fault;
  }
  return seen !== undefined && seen === (await mirror.resolve(`refs/heads/${now}`));
}
