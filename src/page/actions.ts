import { parseCommand } from '../github/markdown/command-parser.ts';
import type { Octokit } from '../github/octokit/connect.ts';
import { commandNames, parseSlashCommand } from '../steering/commands/index.ts';
import { shortened } from '../text/cut.ts';
import type { FormInput } from './form-input.ts';
import { HttpError, httpErrorFrom } from './http-error.ts';
import { commandNameIn, isSaidOnGitHubOnly, type Postings, type Reach } from './postings.ts';
import { type FormAction, type IssueRoute, pathOf } from './routes.ts';

interface ActionRequest {
  readonly route: IssueRoute;
  readonly action: FormAction;
  readonly input: FormInput;
  /** The label that starts a run there. */
  readonly trigger: string;
  readonly reach: Reach;
  readonly postings: Postings;
  /** The number of the run's newest ledger commit; -1 if it is not known, or where there is no run. */
  readonly seq: number;
}

/** What was done on GitHub. */
export interface Done {
  /** When a run was asked for, by GitHub's clock in seconds; null if none was. */
  readonly started: number | null;
}

/** Acts on GitHub with the person's account: the page itself has no permissions. */
export async function performAction(person: Octokit, request: ActionRequest): Promise<Done> {
  return request.action === 'label' ? addLabel(person, request) : comment(person, request);
}

async function addLabel(person: Octokit, { route, trigger }: ActionRequest): Promise<Done> {
  const { headers } = await person.rest.issues
    .addLabels({ ...issueOf(route), labels: [trigger] })
    .catch((fault: unknown) => {
      throw httpErrorFrom(fault, 'The label was not added');
    });
  return { started: secondsOf(headers.date) };
}

/** The same command is not posted again while it waits to be taken up. */
async function comment(person: Octokit, request: ActionRequest): Promise<Done> {
  const { route, input, reach, postings, seq } = request;
  const body = commentBody(input);
  const name = commandNameIn(body);
  if (name !== undefined && isSaidOnGitHubOnly(name, reach)) throw new HttpError(403, saidOnGitHub(name));
  const path = pathOf({ ...route, page: 'issues' });
  const starts = name === 'run' && route.page === 'issues';
  if (name !== undefined && !postings.begin(path, { name, body, seq }))
    return { started: starts ? nowSeconds() : null };
  try {
    const { headers } = await person.rest.issues.createComment({ ...issueOf(route), body });
    return { started: starts ? secondsOf(headers.date) : null };
  } catch (fault) {
    postings.forget(path);
    throw httpErrorFrom(fault, 'The comment was not accepted');
  }
}

function saidOnGitHub(name: string): string {
  return (
    `/${name} is not accepted here, because this page can be reached from other machines and speaks with one ` +
    "person's account. Say it on GitHub."
  );
}

function issueOf({ owner, repo, number }: IssueRoute) {
  return { owner, repo, issue_number: number };
}

/** Comments are compared with it, whose times GitHub gives in whole seconds. */
function secondsOf(date: string | undefined): number {
  const milliseconds = Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? nowSeconds() : Math.floor(milliseconds / 1000);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** The comment to post for a form: its text, preceded by its button's command. */
export function commentBody({ command, text }: FormInput): string {
  const trimmed = text.trim();
  if (command === '') {
    if (trimmed === '') throw new HttpError(400, 'The comment is empty: write something first.');
    return text;
  }
  if (!commandNames.some((name) => name === command)) {
    throw new HttpError(400, `There is no command /${shortened(command, 40)}.`);
  }
  const alone = parseSlashCommand({ word: command, line: '', body: '' });
  if (trimmed === '' && alone?.type === 'misspoken') {
    throw new HttpError(400, `/${command} needs text: write it first.`);
  }
  const isWritten = trimmed === `/${command}` || trimmed.startsWith(`/${command} `);
  // Whoever writes a command into the box of a steer means that command.
  const isOther = command === 'steer' && isCommand(trimmed);
  return isWritten || isOther ? trimmed : `/${command} ${trimmed}`.trim();
}

function isCommand(text: string): boolean {
  return text.startsWith('/') && parseCommand(text) !== undefined;
}
