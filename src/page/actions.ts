import { parseCommand } from '../github/markdown/command-parser.ts';
import type { Octokit } from '../github/octokit/connect.ts';
import { commandNames, parseSlashCommand } from '../steering/commands/index.ts';
import { shortened } from '../text/cut.ts';
import type { FormInput } from './form-input.ts';
import { HttpError, httpErrorFrom } from './http-error.ts';
import type { FormAction, IssueRoute } from './routes.ts';

interface ActionRequest {
  readonly route: IssueRoute;
  readonly action: FormAction;
  readonly input: FormInput;
  /** The label that starts a run there. */
  readonly trigger: string;
}

/** Acts on GitHub with the person's account: the page itself has no permissions. */
export async function performAction(
  person: Octokit,
  { route, action, input, trigger }: ActionRequest,
): Promise<void> {
  const issue = { owner: route.owner, repo: route.repo, issue_number: route.number };
  const rejectWith = (what: string) => (fault: unknown) => Promise.reject(httpErrorFrom(fault, what));
  switch (action) {
    case 'comment': {
      const body = commentBody(input);
      await person.rest.issues
        .createComment({ ...issue, body })
        .catch(rejectWith('The comment was not accepted'));
      return;
    }
    case 'label':
      await person.rest.issues
        .addLabels({ ...issue, labels: [trigger] })
        .catch(rejectWith('The label was not added'));
      return;
  }
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
