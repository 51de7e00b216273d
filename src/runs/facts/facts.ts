import { modelProblem } from '../../config/model-problem.ts';
import { isAncestor, onlyMergesBase } from '../../git/merges.ts';
import type { Told } from '../../github/listen/heard.ts';
import { slugOf } from '../../github/own.ts';
import { membershipsOf } from '../../github/read/roles.ts';
import { agentUses } from '../../profiles/index.ts';
import { askedBy, misconfiguration } from '../../repository/configuration.ts';
import { messageOf } from '../../repository/faults.ts';
import { answeringTeams, approvalRules, teamsIn } from '../../steering/approval/approval-needs.ts';
import { followsApproval } from '../../steering/approval/authorization.ts';
import { isAlwaysAnswered } from '../../steering/approval/reply-limit.ts';
import type { CommandOf } from '../../steering/commands/index.ts';
import { interactionsOf } from '../../steering/iterations/interactions.ts';
import { handedTo } from '../../steering/iterations/iteration.ts';
import { mayEnd } from '../../steering/objections.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { catchUpBefore, mayMatter } from '../run/catch-up.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import { withGroupFailures } from '../run/merge-groups.ts';
import type { Prepared, Run } from '../run/run.ts';
import { isUndone, withSettings } from './moves.ts';
import { findTaskFacts, type SaidFacts } from './task-facts.ts';

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
    case 'dequeued':
      return withGroupFailures(event, runs.groups, run.number);
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
