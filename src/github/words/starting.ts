import { minimalConfig } from '../../config/minimal.ts';
import { problemText } from '../../config/problem.ts';
import type { Misconfigured } from '../../config/read.ts';
import type { Role } from '../../steering/person.ts';
import type { Task } from '../../steering/task.ts';
import type { StartRequest } from '../events/run-event.ts';
import { code, fenced, plain } from './sanitize.ts';

/** Why there is no run although somebody asked for one. */
export type StartRefusal =
  | { readonly why: 'not_permitted'; readonly has: Role }
  | { readonly why: 'issue_closed' }
  | { readonly why: 'no_base'; readonly base: string }
  | { readonly why: 'misconfigured'; readonly reading: Misconfigured }
  | { readonly why: 'already_running'; readonly number: number }
  | { readonly why: 'fork' }
  | { readonly why: 'pull_closed' }
  | { readonly why: 'default_branch'; readonly branch: string }
  /** There is a run already, and its ledger is lost; `what` says how. */
  | { readonly why: 'ledger_lost'; readonly what: string }
  | { readonly why: 'push_refused'; readonly reason: string }
  | { readonly why: 'missing_permission'; readonly message: string }
  | { readonly why: 'github_refused'; readonly said: string };

/**
 * The message of the empty commit that claims a run's branch: cause and task, for whoever must finish the
 * start.
 */
export function claimMessage(task: Task, { cause, issue, by }: StartRequest): string {
  const trailers = [
    `Coxswain-Cause: ${cause}`,
    ...(issue === null ? [] : [`Coxswain-Issue: ${issue.number}`]),
    `Coxswain-Requested-By: ${by.login}`,
    `Coxswain-Task: ${JSON.stringify(task.title)}`,
  ];
  return `Begin: ${task.title}\n\n${trailers.join('\n')}\n`;
}

/** What the pull request says before the run has anything to show; the block is drawn below it. */
export function pullBody(task: Task, { issue, by }: StartRequest): string {
  const origin =
    issue === null ? `Asked for by @${by.login}.` : `Closes #${issue.number}, asked for by @${by.login}.`;
  const description = issue === null ? `\n\n${task.description}` : '';
  return `${origin} A coding agent works on this pull request; steer it with comments, \`/help\` lists the words.${description}\n`;
}

/** The reply to somebody whose wish for a run cannot be met: what happened, why, and the next step. */
export function startRefusalText(refusal: StartRefusal): string {
  switch (refusal.why) {
    case 'not_permitted':
      return `Starting a run takes the role write; yours is ${refusal.has}. Ask somebody with write access.`;
    case 'issue_closed':
      return 'This issue is closed, so no run was started. Reopen it and ask again.';
    case 'no_base':
      return `There is no branch \`${refusal.base}\` with a commit to start from. Push one and ask again.`;
    case 'misconfigured':
      return misconfiguredText(refusal.reading);
    case 'already_running':
      return `This is being worked on in #${refusal.number}. Steer that one, or \`/cancel\` it first.`;
    case 'fork':
      return 'The branch of this pull request is in a fork, which runs do not work on. Push it to this repository instead.';
    case 'pull_closed':
      return 'This pull request is closed, so it cannot become a run. Reopen it and ask again.';
    case 'ledger_lost':
      return `There is a run already, but it cannot be gone on with: ${plain(refusal.what)}. A command on its pull request tells how to mend that.`;
    case 'default_branch':
      return `The head of this pull request is ${code(refusal.branch)}, which no agent works on. Open one from another branch.`;
    case 'push_refused':
      return `The branch for the run could not be pushed; the repository said:\n\n${fenced(refusal.reason)}\n\nAllow the App to create \`coxswain/*\` branches (a bypass in the rule named above), then ask again.`;
    case 'missing_permission':
      return `The run could not start: ${refusal.message}.`;
    case 'github_refused':
      return `The run could not start: ${plain(refusal.said)}.${remedyFor(refusal.said)}`;
  }
}

/** Where a person can change what GitHub refused; empty where we know of nothing. */
function remedyFor(said: string): string {
  if (!/GitHub Actions is not permitted to create/i.test(said)) return '';
  return (
    ' Allow it under Settings > Actions > General > Workflow permissions' +
    ' ("Allow GitHub Actions to create and approve pull requests"), then ask again.'
  );
}

/** How many problems are listed; the rest is counted. */
const mostProblems = 10;

function misconfiguredText({ missing, problems, where }: Misconfigured): string {
  if (missing) {
    const example = fenced(minimalConfig(), 'yaml');
    return `There is no \`${where.path}\` on \`${where.ref}\` yet. Add one like this, and ask again:\n\n${example}`;
  }
  const list = problems
    .slice(0, mostProblems)
    .map((problem) => `- ${plain(problemText(problem))}\n\n${indented(fenced(problem.example, 'yaml'))}\n`);
  const more = problems.length > mostProblems ? `\n\n… and ${problems.length - mostProblems} more` : '';
  return `\`${where.path}\` on \`${where.ref}\` cannot be used. Correct this, and ask again:\n\n${list.join('\n')}${more}`;
}

/** Inside a list item. */
function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
