import type { CommandOf } from '../../steering/commands/index.ts';
import type { GitHubEventOf, Issue } from '../events/github-event.ts';
import { sameLabel } from '../names.ts';
import { personOf } from '../read/roles.ts';
import { type DispatchedCommand, dispatchedCommand } from './dispatched-command.ts';
import {
  type GivenCommand,
  type Heard,
  type Hearing,
  type StartIssue,
  timeOf,
  toCommandEvent,
} from './heard.ts';

/** Requests for a run: a label, `/run`, or a workflow started manually. `startRun` decides about them. */

/** The trigger label on an issue is one cause, however often it is set: starting is idempotent per issue. */
export async function translateLabel(incoming: GitHubEventOf<'labeled'>, context: Hearing): Promise<Heard[]> {
  if (!sameLabel(incoming.label, context.trigger) || incoming.issue.is_pull) return [];
  const { asked_at: _, ...by } = await personOf(context.octokit, incoming.repository, incoming.sender);
  const request = {
    cause: `issue:${incoming.issue.number}:run`,
    at: incoming.at,
    by,
    issue: startIssue(incoming.issue),
    adopt: null,
    text: '',
    source: null,
  };
  return [{ kind: 'start', request }];
}

/** `/run` on an issue starts a run from it; on a pull request it asks to work on that pull request. */
export async function startFromComment(
  given: GivenCommand & { readonly at: string; readonly command: CommandOf<'run'> },
  issue: Issue,
  { octokit }: Hearing,
): Promise<Heard[]> {
  const { repository, id: cause, at, source, command, via_app } = given;
  const { asked_at: _, ...by } = await personOf(octokit, repository, given.author);
  const subject = issue.is_pull
    ? { issue: null, adopt: { number: issue.number } }
    : { issue: startIssue(issue), adopt: null };
  return [
    {
      kind: 'start',
      request: { cause, at, by, ...subject, text: command.task, source, via_app },
    },
  ];
}

/** A workflow started manually: with a `prompt` a request for a run, with a `command` one that is said on a run. */
export async function translateDispatch(
  incoming: GitHubEventOf<'dispatch'>,
  context: Hearing,
): Promise<Heard[]> {
  const said = dispatchedCommand(incoming);
  if (said !== undefined) return 'problem' in said ? [] : sayFromDispatch(incoming, said, context);
  const text = incoming.inputs['prompt']?.trim() ?? '';
  if (text === '') return [];
  const { asked_at, ...by } = await personOf(context.octokit, incoming.repository, incoming.sender);
  const request = {
    cause: `dispatch:${incoming.run_id}`,
    at: timeOf(null, asked_at),
    by,
    issue: null,
    adopt: null,
    text,
    source: { from: 'dispatch', workflow_run_id: incoming.run_id },
    again_by: incoming.again_by,
  } as const;
  return [{ kind: 'start', request }];
}

/** There is no comment behind it, so the cause is the workflow's run. */
function sayFromDispatch(
  incoming: GitHubEventOf<'dispatch'>,
  { number, command }: DispatchedCommand,
  context: Hearing,
): Promise<Heard[]> {
  const { run_id, sender: author } = incoming;
  const source = { from: 'dispatch', workflow_run_id: run_id } as const;
  const said = { number, id: `dispatch:${run_id}`, at: null, author, command, source };
  return toCommandEvent({ repository: incoming.repository, ...said }, context);
}

function startIssue({ number, title, body, open }: Issue): StartIssue {
  return { number, title, body, open };
}
