import type { Octokit } from '../github/octokit/connect.ts';
import { commandNames } from '../steering/commands/index.ts';
import type { FormInput } from './form-input.ts';
import { HttpError, httpErrorFrom } from './http-error.ts';
import type { FormAction, IssueRoute } from './routes.ts';
import { triggerLabel } from './trigger-label.ts';

export interface ActionRequest {
  readonly route: IssueRoute;
  readonly action: FormAction;
  readonly input: FormInput;
}

/** Does it on GitHub in the person's name: the page has no power of its own. */
export async function performAction(person: Octokit, { route, action, input }: ActionRequest): Promise<void> {
  const issue = { owner: route.owner, repo: route.repo, issue_number: route.number };
  const rejectWith = (what: string) => (fault: unknown) => Promise.reject(httpErrorFrom(fault, what));
  switch (action) {
    case 'comment': {
      const body = commentBody(input);
      await person.rest.issues
        .createComment({ ...issue, body })
        .catch(rejectWith('The comment was not taken'));
      return;
    }
    case 'label':
      await person.rest.issues
        .addLabels({ ...issue, labels: [triggerLabel] })
        .catch(rejectWith('The label was not added'));
      return;
  }
}

/** Commands that mean something only together with words. */
const commandsWithText = ['steer', 'reject'];

/** The comment a form stands for: its text, behind the command its button names. */
export function commentBody({ command, text }: FormInput): string {
  const words = text.trim();
  if (command === '') {
    if (words === '') throw new HttpError(400, 'There is nothing to say yet: write something first.');
    return text;
  }
  if (!commandNames.some((name) => name === command)) {
    throw new HttpError(400, `There is no command /${command.slice(0, 40)}.`);
  }
  if (words === '' && commandsWithText.includes(command)) {
    throw new HttpError(400, `/${command} needs words: write them first.`);
  }
  const isWritten = words === `/${command}` || words.startsWith(`/${command} `);
  return isWritten ? words : `/${command} ${words}`.trim();
}
