import type { Misconfigured } from '../config/read.ts';
import { type Problem, problemText } from '../config/schema/config-problem.ts';
import { minimalConfig } from '../config/schema.ts';
import { lacksRole } from '../steering/phrases/phrases.ts';
import type { Person, Role } from '../steering/shapes/people.ts';
import type { Phase } from '../steering/shapes/standing.ts';
import type { EarlierRun, Task } from '../steering/shapes/task.ts';
import { inertLine } from '../text/commit-message.ts';
import { command, remedyForPush, unsignedRemedy } from './parts/common-phrases.ts';
import { code, fenced, inert, plain, quoted, said, tame, under } from './parts/sanitize.ts';
import { overText, saidByAppText } from './refusals.ts';

/** Why a run that someone requested was not started. */
export type StartRefusal =
  | { readonly why: 'not_permitted'; readonly has: Role }
  | { readonly why: 'issue_closed' }
  /** Someone else changed the issue after the person who asked had read it; the text is what it says now. */
  | {
      readonly why: 'issue_changed';
      readonly by: string;
      readonly title: string;
      readonly body: string;
    }
  | { readonly why: 'said_by_app'; readonly app: string }
  /** Somebody else has run the job again in which it was asked for. */
  | { readonly why: 'run_again'; readonly by: string; readonly again_by: string }
  | { readonly why: 'no_base'; readonly base: string }
  | { readonly why: 'misconfigured'; readonly reading: Misconfigured }
  /** What is wrong with the task and what it depends on, each in a sentence. */
  | { readonly why: 'task_problems'; readonly problems: readonly string[] }
  /** There is no configuration, and this is what came of proposing one. */
  | { readonly why: 'not_set_up'; readonly told: string }
  /** The pull request proposes a configuration. */
  | { readonly why: 'setup_pull'; readonly open: boolean }
  | { readonly why: 'already_running'; readonly number: number; readonly phase?: Phase | undefined }
  /** The run of this pull request has ended. */
  | { readonly why: 'over'; readonly phase: Phase }
  /** It is a part of a sentence. */
  | { readonly why: 'agent_unusable'; readonly problem: string }
  | { readonly why: 'fork' }
  | { readonly why: 'pull_closed' }
  | { readonly why: 'default_branch'; readonly branch: string }
  /** A run on another pull request has the same head. */
  | { readonly why: 'head_taken'; readonly by: number }
  /** The branch of the pull request must not be pushed to. */
  | { readonly why: 'guarded_branch'; readonly reason: string }
  /** There is already a run whose ledger is lost; `what` says how. */
  | { readonly why: 'ledger_lost'; readonly what: string }
  | { readonly why: 'push_refused'; readonly reason: string }
  /** Its commits have to be signed, and were not; in part of a sentence. */
  | { readonly why: 'not_signed'; readonly reason: string }
  /** A branch of this name keeps Git from creating those of runs. */
  | { readonly why: 'obstructed'; readonly branch: string }
  /** Others have pushed so many branches under the names of this run's that we stopped looking. */
  | { readonly why: 'squatted'; readonly branch: string }
  | { readonly why: 'missing_permission'; readonly message: string }
  | { readonly why: 'github_refused'; readonly reason: string };

/** Who asked for a run, and on which issue, if on one. */
interface Requested {
  readonly by: Person;
  readonly issue: { readonly number: number } | null;
}

const maxTitle = 200;

/** The message of the empty commit that claims a run's branch, which says for what and for whom. */
export function claimText(task: Task, { cause, issue, by }: Requested & { readonly cause: string }): string {
  // A title must not add lines that look like ours, nor make GitHub close issues.
  const title = inertLine(task.title, maxTitle);
  const trailers = said([
    `Coxswain-Cause: ${cause}`,
    issue !== null && `Coxswain-Issue: ${issue.number}`,
    `Coxswain-Requested-By: ${by.login} (${by.id})`,
    `Coxswain-Task: ${JSON.stringify(title)}`,
  ]);
  return `Start: ${title}\n\n${trailers.join('\n')}\n`;
}

interface Remarks {
  readonly earlier?: readonly EarlierRun[];
  /** Why the fields of the issue do not count, in part of a sentence; absent if they do. */
  readonly untrusted?: string | undefined;
  /** The run whose place it takes. */
  readonly replaces?: number | undefined;
}

/** The body of a new pull request; the run's block is rendered below it. */
export function pullBody(
  task: Task,
  { issue, by }: Requested,
  { earlier = [], untrusted, replaces }: Remarks = {},
): string {
  const closes = issue !== null && replaces === undefined && `Closes #${issue.number}`;
  // The issue is closed with the last one of those that take the place of a run, which GitHub cannot know.
  const part =
    replaces !== undefined &&
    `${issue === null ? 'Takes' : `Part of #${issue.number}, takes`} the place of #${replaces}`;
  const origin = `${said([closes, part, `${closes || part ? 'requested' : 'Requested'} by @${by.login}`]).join(', ')}.`;
  const description = issue === null || replaces !== undefined ? `\n\n${inert(task.description)}` : '';
  return `${origin} A coding agent is working on this pull request. Steer it with comments; \`/help\` lists the commands.${description}${untrustedText(untrusted)}${earlierText(earlier)}\n`;
}

function untrustedText(untrusted: string | undefined): string {
  if (untrusted === undefined) return '';
  return `\n\nThe block or form in the issue was taken as plain text, because ${plain(untrusted)}. Someone with write access can repeat it after \`/run\`.`;
}

function earlierText(earlier: readonly EarlierRun[]): string {
  const lines = earlier.map(
    ({ number, by, reason, how = 'rejected' }) =>
      `- #${number} was ${how} by ${plain(by.login, 60)}: ${plain(reason, 300)}`,
  );
  return under('\n\nEarlier runs, which the agent is told about:', lines);
}

/** A run that was started by hand and whose job, with this address, ended too early. */
export function unbegunText(url: string): string {
  const where = `[the job that started it](${url})`;
  return `This run has not begun, because ${where} ended too early. Use "Re-run jobs" there and it goes on from here, or close this pull request.`;
}

/** The reply when a requested run cannot start: what happened, why, and the next step. */
export function startRefusalText(refusal: StartRefusal, web: string): string {
  switch (refusal.why) {
    case 'not_permitted':
      return `${lacksRole('Starting a run', 'write', refusal.has)} Ask someone with write access.`;
    case 'issue_closed':
      return 'This issue is closed, so no run was started. Reopen it and try again.';
    case 'issue_changed':
      return issueChangedText(refusal);
    case 'said_by_app':
      return saidByAppText(refusal.app);
    case 'run_again':
      return runAgainText(refusal);
    case 'no_base':
      return `There is no commit to start from on branch ${code(refusal.base)}. Push one and try again.`;
    case 'misconfigured':
      return misconfiguredText(refusal.reading);
    case 'task_problems':
      return `The task is not valid, so no run was started. ${fixThis}\n\n${refusal.problems.map((each) => `- ${tame(each, 600)}`).join('\n')}`;
    case 'not_set_up':
      return refusal.told;
    case 'setup_pull':
      return `This pull request ${refusal.open ? 'proposes' : 'proposed'} a configuration, so no run works on it. ${refusal.open ? 'Merge it, then use' : 'Use'} ${code('/run')} on an issue.`;
    case 'already_running':
      return alreadyRunningText(refusal);
    case 'over':
      return overText(refusal);
    case 'agent_unusable':
      return `No run was started, because its agent could not work: ${plain(refusal.problem, 1000)}. Fix that and try again.`;
    case 'fork':
      return 'The branch of this pull request is in a fork, and runs cannot work on forks. Push it to this repository instead.';
    case 'pull_closed':
      return 'This pull request is closed, so no run can work on it. Reopen it and try again.';
    case 'ledger_lost':
      return `There is already a run, but it cannot continue: ${plain(refusal.what)}. Use any command on its pull request to see how to fix that.`;
    case 'default_branch':
      return `The head of this pull request is the default branch ${code(refusal.branch)}, which agents do not work on. ${fromAnother}`;
    case 'head_taken':
      return `The run on #${refusal.by} has the same head commit, and two runs cannot work on one commit. ${steerOrCancel}`;
    case 'guarded_branch':
      return `No run was started: ${plain(refusal.reason)}. ${fromAnother}`;
    case 'push_refused':
      return `The branch for the run could not be pushed. The repository answered:\n\n${fenced(refusal.reason)}\n\n${remedyForPush(refusal.reason)} Then try again.`;
    case 'not_signed':
      return `No run was started, because its commits have to be signed: ${plain(refusal.reason, 1000)}. ${unsignedRemedy}`;
    case 'obstructed':
    case 'squatted':
      return takenNamesText(refusal);
    case 'missing_permission':
      return `The run could not start: ${refusal.message}.`;
    case 'github_refused':
      return `The run could not start: ${plain(refusal.reason.replace(/\.$/, ''))}.${remedyFor(refusal.reason, web)}`;
  }
}

const fromAnother = 'Open a pull request from another branch.';
const steerOrCancel = 'Steer that run, or `/cancel` it first.';
const fixThis = 'Fix this, then try again:';

function alreadyRunningText({ number, phase }: Extract<StartRefusal, { why: 'already_running' }>): string {
  if (phase === 'blocked')
    return `A run is already waiting in #${number}, which says what for. Start it there with ${command('resume')}, or end it with ${command('cancel')}.`;
  if (phase === 'awaiting_resolution')
    return `The run in #${number} could not continue and is waiting for people. Decide there: \`/retry\`, \`/spawn\` or \`/abandon\`.`;
  return `A run is already in progress in #${number}. ${steerOrCancel}`;
}

function takenNamesText({ why, branch }: Extract<StartRefusal, { why: 'obstructed' | 'squatted' }>): string {
  if (why === 'obstructed')
    return `There is a branch named ${code(branch)}, so Git allows none below it, and no run was started. Rename or delete it, then try again.`;
  return `Branches such as ${code(branch)} have the names that this run could take, but Coxswain did not create them, so no run was started. Delete them, then try again.`;
}

/** The words of a manual start are in no comment, so whoever runs its job again may never have read them. */
export function runAgainText({ by, again_by }: { readonly by: string; readonly again_by: string }): string {
  return `${by} started this workflow, and ${again_by} has run its job again, but nobody can speak for someone else. Start the workflow again with these inputs to say it yourself.`;
}

function issueChangedText({ by, ...issue }: Extract<StartRefusal, { why: 'issue_changed' }>): string {
  const text = quotedIssue(issue);
  return `${plain(by)} changed this issue shortly before the run was requested, or afterwards, so no run was started. It now says:\n\n${text}\n\nIf that is what the agent should do, use ${code('/run')}.`;
}

/** A text of GitHub's as it reads now, for whoever has to say whether it is what the agent should do. */
export function quotedIssue({ title, body }: { readonly title: string; readonly body: string }): string {
  return quoted([title, body].filter((part) => part.trim() !== '').join('\n\n'));
}

/** Says how to change what GitHub refused; empty where we know of no remedy. */
function remedyFor(reason: string, web: string): string {
  if (!/GitHub Actions is not permitted to create/i.test(reason)) return '';
  return (
    ` Allow it in the [settings of this repository](${web}/settings/actions), under Workflow permissions` +
    ' ("Allow GitHub Actions to create and approve pull requests"), then try again.'
  );
}

/** How many problems are listed; the rest are only counted. */
const maxProblems = 10;

function misconfiguredText({ missing, outside, problems, where }: Misconfigured): string {
  if (outside)
    return `The operator of this App does not let it work on this repository (the operator's bound ${code('repositories')}), so no run was started. Ask the operator to add it.`;
  if (missing) {
    const example = fenced(minimalConfig(), 'yaml');
    return `There is no ${code(where.path)} on ${code(where.ref)} yet. Add one like this, then try again:\n\n${example}`;
  }
  const list = problems.slice(0, maxProblems).map(listedProblem);
  const more = problems.length > maxProblems ? `\n\n… and ${problems.length - maxProblems} more` : '';
  const subject = where.inputs
    ? 'The inputs of the workflow are'
    : `${code(where.path)} on ${code(where.ref)} is`;
  return `${subject} not valid. ${fixThis}\n\n${list.join('\n')}${more}`;
}

function listedProblem(problem: Problem): string {
  const text = `- ${plain(problemText(problem))}\n`;
  return problem.example === '' ? text : `${text}\n${indented(fenced(problem.example, 'yaml'))}\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
