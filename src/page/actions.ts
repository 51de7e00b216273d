import type { IncomingMessage } from 'node:http';
import type { Octokit } from '../github/octokit/connect.ts';
import { readBody, TooLarge } from '../http/body.ts';
import { commandNames } from '../steering/commands/index.ts';
import { Refusal, refusalOf } from './http-error.ts';
import { triggerLabel } from './load/overview.ts';
import type { Deed, ThreadPlace } from './routes.ts';
import type { Typed } from './views/comment-form.ts';

const mostBytes = 1024 * 1024;

/** What a form says. Throws `Refusal` when it is too large or no form of ours. */
export async function readForm(request: IncomingMessage): Promise<Typed> {
  const type = request.headers['content-type']?.split(';', 1)[0];
  if (type !== 'application/x-www-form-urlencoded') {
    throw new Refusal(415, `A form is expected, and ${type ?? 'nothing'} came.`);
  }
  const body = await readBody(request, mostBytes).catch((cause: unknown) => {
    if (!(cause instanceof TooLarge)) throw cause;
    throw new Refusal(413, 'That is more than 1 MiB, which is more than can be said at once.', { cause });
  });
  const fields = new URLSearchParams(body);
  return { command: fields.get('command') ?? '', text: (fields.get('text') ?? '').replace(/\r\n?/g, '\n') };
}

/** Does it on GitHub in the person's name: the page has no power of its own. */
export async function carryOut(person: Octokit, place: ThreadPlace, deed: Deed, typed: Typed): Promise<void> {
  const at = { owner: place.owner, repo: place.repo, issue_number: place.number };
  switch (deed) {
    case 'comment': {
      const body = commentOf(typed);
      await person.rest.issues
        .createComment({ ...at, body })
        .catch((fault: unknown) => Promise.reject(refusalOf(fault, 'The comment was not taken')));
      return;
    }
    case 'label':
      await person.rest.issues
        .addLabels({ ...at, labels: [triggerLabel] })
        .catch((fault: unknown) => Promise.reject(refusalOf(fault, 'The label was not added')));
      return;
  }
}

/** Commands that say something only together with words. */
const wordy = ['steer', 'reject'];

/** The comment a form stands for: its words, behind the command its button names. */
export function commentOf({ command, text }: Typed): string {
  const words = text.trim();
  if (command === '') {
    if (words === '') throw new Refusal(400, 'There is nothing to say yet: write something first.');
    return text;
  }
  if (!commandNames.some((name) => name === command)) {
    throw new Refusal(400, `There is no command /${command.slice(0, 40)}.`);
  }
  if (words === '' && wordy.includes(command)) {
    throw new Refusal(400, `/${command} needs words: write them first.`);
  }
  const isSaid = words === `/${command}` || words.startsWith(`/${command} `);
  return isSaid ? words : `/${command} ${words}`.trim();
}
