import { createHash } from 'node:crypto';
import { listRemote } from '../../git/remote.ts';
import { branchPrefix } from '../../github/names.ts';
import { changedSince, type IssueText, readIssueText } from '../../github/read/edits.ts';
import { lastLabelling } from '../../github/read/missed-starts.ts';
import { findClosedPull, findPullByHead, lastClosingId, type PullFacts } from '../../github/read/pulls.ts';
import { openDraftPull } from '../../github/write/open-pull.ts';
import { type Account, type Contributors, isSame } from '../../steering/shapes/people.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { EarlierRun, Task } from '../../steering/shapes/task.ts';
import { isBefore } from '../../steering/shapes/time.ts';
import { redactAll } from '../../text/redact.ts';
import { inertTitle } from '../../words/index.ts';
import { pullBody } from '../../words/start-texts.ts';
import type { Run } from '../run/run.ts';
import { type Beginning, beginLedger, openSuccessor, runsGivenUp, withDependencies } from './begin-ledger.ts';
import { claimAsDemanded, claimMessage, isOurClaim } from './claim.ts';
import { asWritten, checkedTask, requireOwnJob, requireOwnWords, writtenTask } from './requested-task.ts';
import { baseOf } from './start-base.ts';
import { CannotStart, type Starting } from './starting.ts';

/** A safety limit on the number of runs per issue. */
const maxRunsAnIssue = 1000;

/**
 * Claims a branch, opens the pull request and creates the ledger. Each step reuses what an earlier try left
 * behind, and nothing else: a branch or a pull request of that name that is not ours is passed over.
 * Undefined if the request already led to a run that has ended, or to one of another presenter.
 */
export async function openRun(starting: Starting): Promise<Run | undefined> {
  const { request, runs, inPlace } = starting;
  // One that is there needs nothing any more of what it was made from.
  const made = inPlace && (await slotIn(1, starting, { task: inPlace.task, squatted: [], ended: [] }));
  if (typeof made === 'object' && made.started) return runs.of(made.started);
  const written = inPlace === undefined ? await writtenTask(starting) : undefined;
  const base = await baseOf(written === undefined ? starting : asWritten(starting, written));
  const { sha, problems, ...rules } = base;
  requireOwnWords(starting, rules.settings);
  const checked =
    inPlace === undefined ? checkedTask(starting, base, written) : { task: inPlace.task, problems };
  const { task } = checked;
  const squatted: string[] = [];
  const ended: number[] = [];
  for (let round = 1; round <= maxRunsAnIssue; round++) {
    const slot = await slotIn(round, starting, { task, squatted, ended });
    if (slot === 'taken') continue;
    if (slot === 'nothing') return undefined;
    const { branch, pull } = slot;
    if (slot.started) return goneOn(runs.of(slot.started));
    if (pull === undefined) await requireNoSuccessor(starting, ended);
    if (pull === undefined) requireOwnJob(starting);
    const text = inPlace === undefined ? await issueTextFor(starting) : undefined;
    if (pull === undefined) requireSeen(starting, text);
    const dependent = await withDependencies(starting, checked);
    const claimed = await claim(starting, { task, branch, base: sha, settings: rules.settings });
    if (claimed === undefined) {
      passOver(starting, branch, squatted);
      continue;
    }
    const contributors = inPlace?.contributors ?? writerOf(text, starting.request.by);
    const earlier = inPlace?.earlier ?? (await earlierRuns(starting, ended));
    const beginning = { branch, ...claimed, ...dependent, adopted: false, ...rules, contributors, earlier };
    if (pull !== undefined) return beginLedger(starting, { number: pull.number, ...beginning });
    const { number, created } = await openPull(starting, {
      task,
      branch,
      earlier,
      untrusted: written?.untrusted,
    });
    if (created) runs.of(number).begin();
    return beginLedger(starting, { number, ...beginning });
  }
  throw new Error(`issue ${request.issue?.number} was run ${maxRunsAnIssue} times`);
}

/** What began it may have ended before the run did anything. */
async function goneOn(run: Run): Promise<Run> {
  const known = await run.readLedger();
  if (known !== undefined) run.resume(known.state);
  return run;
}

/** Of a request without an issue, no run is known to have been for the same. */
async function earlierRuns(starting: Starting, numbers: readonly number[]): Promise<readonly EarlierRun[]> {
  const { issue } = starting.request;
  return issue === null ? [] : runsGivenUp(starting, { issue: issue.number, numbers });
}

interface ClaimSlot {
  readonly branch: string;
  /** The pull request that an earlier try opened. */
  readonly pull: PullFacts | undefined;
  /** The number of the pull request, if the run has already started. */
  readonly started?: number;
}

interface Passed {
  readonly task: Task;
  /** Branches that are not ours. */
  readonly squatted: string[];
  /** Pull requests of earlier runs, which we have opened. */
  readonly ended: number[];
}

/**
 * The branch of one round: `taken` by a run that has ended or by something that is not ours, `nothing` is to
 * be done, or the claim to make or to complete. Refuses the request if there is an open run.
 */
async function slotIn(
  round: number,
  starting: Starting,
  { task, squatted, ended }: Passed,
): Promise<ClaimSlot | 'taken' | 'nothing'> {
  const { repository } = starting.runs;
  const id = claimId(repository.id, causeOf(starting), round);
  const known = await listRemote(repository.remote, [claimPattern(id)]);
  const branches = [...known.keys()].map((ref) => ref.replace('refs/heads/', ''));
  const long = await longEnded(starting, id);
  if (long !== undefined) return answered(starting, long);
  const own = branchName(task.title, id);
  for (const branch of branches.length === 0 ? [own] : branches.slice(0, maxBranches)) {
    const pull = await findPullByHead(repository.octokit, repository, branch);
    if (pull === undefined) {
      if (branches.length === 0 || (await isOurClaim(starting, branch))) return { branch, pull };
      passOver(starting, branch, squatted);
      continue;
    }
    const standing = await standingOf(pull, starting);
    if (standing === 'ended') {
      ended.push(pull.number);
      return (await isAnswered(starting, pull)) ? answered(starting, pull) : 'taken';
    }
    if (standing === 'started') return { branch, pull, started: pull.number };
    if (standing === 'of another presenter' && starting.inPlace === undefined) return 'nothing';
    if (standing === 'opened' && (await isOurClaim(starting, branch))) return { branch, pull };
    passOver(starting, branch, squatted);
  }
  return 'taken';
}

/** What was to take the place of another run has done so, also if it has ended since. */
function answered({ inPlace }: Starting, { head_ref: branch, number }: PullFacts): ClaimSlot | 'nothing' {
  return inPlace === undefined ? 'nothing' : { branch, pull: undefined, started: number };
}

/** Runs that have taken the place of an earlier one on the issue are at work on it. */
async function requireNoSuccessor(starting: Starting, ended: readonly number[]): Promise<void> {
  const last = ended.at(-1);
  const open = last === undefined || starting.inPlace ? undefined : await openSuccessor(starting, last);
  if (open !== undefined) throw new CannotStart({ why: 'already_running', ...open });
}

/**
 * Whether a run that has ended was the answer to this request. A manual start asks only once, so this is its
 * job, which somebody has run again: that is told, because there is nobody to reply to.
 */
async function isAnswered(starting: Starting, pull: PullFacts): Promise<boolean> {
  const { request, runs } = starting;
  if (starting.inPlace !== undefined) return true;
  if (request.issue !== null) return isSaidBeforeEnd(starting, pull);
  const run = runs.of(pull.number);
  // The summary of the job shows what was read.
  await run.readLedger();
  runs.services.log.warn(
    `${run.name}, which this job has started, has ended: start the workflow again for another run`,
  );
  return true;
}

/** Anybody would still be waiting for what was asked for more recently. */
const recentMs = 60_000;

/**
 * The run that has ended to which an old request led, whose event was delivered late or that a sweep found.
 * Its branches do not tell: the button on GitHub deletes that of the run, which would have another name if
 * the title was changed since, and anyone with write access can push others.
 */
async function longEnded(starting: Starting, id: string): Promise<PullFacts | undefined> {
  const { request, runs } = starting;
  const { repository, services } = runs;
  const { octokit, own } = repository;
  if (services.clock.now().getTime() - Date.parse(request.at) < recentMs) return undefined;
  const isWanted = ({ head_ref, author }: PullFacts) =>
    author === own.login && head_ref.startsWith(branchPrefix) && head_ref.endsWith(`-${id}`);
  const pull = await findClosedPull(octokit, repository, { since: request.at, isWanted });
  if (pull === undefined) return undefined;
  return starting.inPlace !== undefined || (await isSaidBeforeEnd(starting, pull)) ? pull : undefined;
}

/** Someone may push any number of branches whose names match. */
const maxBranches = 5;

/** Each costs requests, and somebody who pushes them by the thousand is not to be raced. */
const maxSquatted = 10;

function passOver({ runs }: Starting, branch: string, squatted: string[]): void {
  runs.services.log.warn(`passed over the branch ${branch} of ${runs.name}: it is not a claim of ours`);
  squatted.push(branch);
  if (squatted.length >= maxSquatted) throw new CannotStart({ why: 'squatted', branch });
}

type PullStanding = 'ended' | 'started' | 'opened' | 'of another presenter' | 'not ours';

/** Who opened it is what GitHub says; the rest is in its ledger. */
async function standingOf(pull: PullFacts, { request, runs }: Starting): Promise<PullStanding> {
  if (pull.author !== runs.repository.own.login)
    return pull.open && pull.author.endsWith('[bot]') ? 'of another presenter' : 'not ours';
  if (!pull.open) return 'ended';
  const live = await runs.of(pull.number).readLedger();
  if (live === undefined) return 'opened';
  if (live.seen.has(request.cause)) return 'started';
  const { phase } = live.state.standing;
  throw new CannotStart({ why: 'already_running', number: pull.number, phase });
}

interface WantedClaim {
  readonly task: Task;
  readonly branch: string;
  /** The commit that it begins from. */
  readonly base: string;
  readonly settings: Settings;
}

/** The claim's commit; undefined if someone else pushed a branch of that name first. */
async function claim(
  starting: Starting,
  { task, branch, base, settings }: WantedClaim,
): Promise<Pick<Beginning, 'head' | 'signs'> | undefined> {
  const { request, runs } = starting;
  const message = claimMessage(starting, task, { branch, base });
  const wanted = { branch, base, message, at: request.at };
  const claimed = await claimAsDemanded(runs.repository, wanted, { base: task.base, settings });
  const isOurs = claimed.created || (await isOurClaim(starting, branch));
  return isOurs ? { head: claimed.sha, signs: claimed.signs } : undefined;
}

/**
 * An issue has at most one open run, however it is requested, but several that take the place of one. Any
 * other request is its own cause.
 */
function causeOf({ request: { issue, cause }, inPlace }: Starting): string {
  return issue === null || inPlace !== undefined ? cause : `issue:${issue.number}`;
}

interface NewPull {
  readonly task: Task;
  readonly branch: string;
  readonly earlier: readonly EarlierRun[];
  readonly untrusted: string | undefined;
}

async function openPull(
  { request, runs, inPlace }: Starting,
  { task, branch, earlier, untrusted }: NewPull,
): Promise<{ readonly number: number; readonly created: boolean }> {
  const { repository, services } = runs;
  const remarks = { earlier, untrusted, replaces: inPlace?.replaces.number };
  const texts = { title: inertTitle(task.title), body: pullBody(task, request, remarks) };
  const wanted = {
    ...{ where: repository, branch, base: task.base, own: repository.own },
    ...redactAll(texts, services.secrets),
  };
  const { pull, created } = await openDraftPull(repository.octokit, wanted);
  return { number: pull.number, created };
}

/** The name of a run's branch: readable, and can be found again by the cause alone. */
export function branchName(title: string, id: string): string {
  return `${branchPrefix}${slugOf(title)}-${id}`;
}

/** The pattern with which `git ls-remote` finds a claim, whatever the title was at the time. */
function claimPattern(id: string): string {
  return `refs/heads/coxswain/*-${id}`;
}

/** A hash of the cause: two deliveries of one cause claim the same branch. */
export function claimId(...cause: readonly (string | number)[]): string {
  return createHash('sha256').update(cause.join('\n')).digest('hex').slice(0, 10);
}

function slugOf(title: string): string {
  const ascii = title.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const words = ascii
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return words.slice(0, 40).replace(/-+$/, '') || 'task';
}

/** Whether a run was asked for before this pull request was closed, so that its run was the answer. */
async function isSaidBeforeEnd(starting: Starting, pull: PullFacts): Promise<boolean> {
  const { at } = starting.request;
  const { closed_at } = pull;
  if (closed_at === null || isBefore(closed_at, at)) return false;
  return isBefore(at, closed_at) || !(await isKnownToFollow(starting, pull.number));
}

/** GitHub writes whole seconds. In the same one its events have an order, and words led to the run or not. */
async function isKnownToFollow({ request, runs }: Starting, number: number): Promise<boolean> {
  const { repository } = runs;
  const { octokit } = repository;
  if (request.source !== null) {
    const ended = await runs.of(number).readLedger();
    return ended !== undefined && !ended.seen.has(request.cause);
  }
  if (request.issue === null) return false;
  const trigger = await runs.trigger();
  const [set, closing] = await Promise.all([
    lastLabelling(octokit, repository, { number: request.issue.number, trigger }),
    lastClosingId(octokit, repository, number),
  ]);
  return set !== undefined && closing !== undefined && set.id > closing;
}

/** A label says less than a comment about what its author has read, and when. */
const readingTimeMs = 60_000;

/**
 * Refuses a run on an issue whose text someone else changed after the person who asked for the run had read
 * it: anyone may edit an issue of their own, and people with write access any issue.
 */
function requireSeen({ request }: Pick<Starting, 'request'>, text: IssueText | undefined): void {
  if (text === undefined) return;
  const readAt = Date.parse(request.at) - (request.source === null ? readingTimeMs : 0);
  const other = changedSince(text, new Date(readAt).toISOString(), [request.by]);
  if (other === undefined) return;
  const { title, body } = text;
  throw new CannotStart({ why: 'issue_changed', by: other.login, title, body });
}

/** The text of the issue on which a run was requested; undefined if there is none. */
async function issueTextFor({ request, runs: { repository } }: Starting): Promise<IssueText | undefined> {
  const { issue } = request;
  return issue === null ? undefined : readIssueText(repository.octokit, repository, issue.number);
}

/**
 * Whose words the agent reads: whoever changed the issue last, else whoever opened it, unless that is the
 * person who asked for the run, for whom there is a rule of its own. Incomplete if GitHub does not name them.
 */
export function writerOf(text: IssueText | undefined, requester: Account | null): Contributors {
  const [last] = text?.changes ?? [];
  if (last !== undefined)
    return last.by.id === 0 ? { people: [], complete: false } : { people: [last.by], complete: true };
  const author = text?.author ?? null;
  const isOther = author !== null && (requester === null || !isSame(author, requester));
  return { people: isOther ? [author] : [], complete: true };
}
