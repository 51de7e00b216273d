import { type Command, type CommandOf, commandSpecs } from '../../steering/commands/index.ts';
import type { GitHubEventOf, Issue } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import { sameLabel } from '../names.ts';
import { personOf } from '../read/roles.ts';
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

/**
 * A workflow started manually: with a `prompt` a request for a run, with a `command` one that is said on a
 * run.
 */
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

/** What the inputs of a manual start say on a run. */
interface DispatchedCommand {
  /** The number of the run's pull request. */
  readonly number: number;
  readonly command: Command;
}

/**
 * The command of the inputs `run` and `command`, or why it cannot be said; undefined if they have none. The
 * fields of a form have one line, so `\n` stands for the next one.
 */
export function dispatchedCommand({
  inputs,
  repository,
}: Pick<GitHubEventOf<'dispatch'>, 'inputs' | 'repository'>):
  | DispatchedCommand
  | { readonly problem: string }
  | undefined {
  const [run, text] = [inputs['run'] ?? '', inputs['command'] ?? ''].map((each) => each.trim());
  if (!run && !text) return undefined;
  if (!text)
    return { problem: 'input command is empty: expected what to say there, as in `command: /retry`' };
  const number = numberIn(run ?? '', `${repository.owner}/${repository.name}`);
  if (number === undefined)
    return {
      problem:
        `input run is ${JSON.stringify(run)}: expected the pull request of a run of ` +
        `${repository.owner}/${repository.name}, by its number or address, as in \`run: '#12'\``,
    };
  const command = commandIn(text);
  return 'problem' in command ? command : { number, command };
}

/** A repository with what stands before a number. */
const named = String.raw`(?:https?:\/\/[^/\s]+\/)?([\w.-]+\/[\w.-]+)(?:#|\/(?:pull|issues)\/)`;

/** `12`, `#12`, `acme/api#12` or its address. */
function numberIn(run: string, repository: string): number | undefined {
  const [, name, number] = new RegExp(`^(?:${named}|#)?([1-9]\\d{0,8})(?:[/?#]\\S*)?$`).exec(run) ?? [];
  const isHere = name === undefined || name.toLowerCase() === repository.toLowerCase();
  return isHere && number !== undefined ? Number(number) : undefined;
}

function commandIn(text: string): Command | { readonly problem: string } {
  const was = `input command is ${JSON.stringify(text)}`;
  const command = parseCommand(text.replaceAll('\\n', '\n'));
  if (command === undefined)
    return { problem: `${was}: expected a command, as in \`command: /steer Use BigInt\`` };
  if (command.type === 'run')
    return { problem: `${was}: expected a command for a run; the input prompt starts one` };
  if (command.type !== 'misspoken') return command;
  return { problem: `${was}: ${command.problem}. Usage: ${commandSpecs[command.name].usage}` };
}
