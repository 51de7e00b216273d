import type { GitHubEventOf } from '../events/github-event.ts';
import { mayContainCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { editorsOf } from './edits.ts';
import { accountOf, repoParams } from './repository.ts';
import type { Subject } from './subject.ts';

type CommentEvent = GitHubEventOf<'comment'>;

/**
 * The comments with our words written or edited since, as if their webhooks had come. What somebody else
 * wrote into a person's comment is an edit, never that person's word.
 */
export async function commentsSince(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<readonly CommentEvent[]> {
  const { repository, number } = subject;
  const place = { ...repoParams(repository), issue_number: number, since, per_page: 100 };
  const found = await octokit.paginate(octokit.rest.issues.listComments, place);
  const comments = found.filter((data) => wasTouched(data) || mayContainCommand(data.body ?? ''));
  const touched = comments.filter(wasTouched);
  const editors = await editorsOf(
    octokit,
    touched.map(({ node_id }) => node_id),
  );
  return comments.flatMap((data) => asHeard(subject, { data, editor: editors.get(data.node_id) }) ?? []);
}

/** An edit may have taken the command out, so what a touched comment says now does not matter. */
function wasTouched({ created_at, updated_at }: Times): boolean {
  return created_at !== updated_at;
}

interface Times {
  readonly created_at: string;
  readonly updated_at: string;
}

interface Found {
  readonly data: {
    readonly id: number;
    readonly body?: string | undefined;
    readonly user: { readonly login: string; readonly type?: string } | null;
    readonly updated_at: string;
  };
  /** Who last edited the text; undefined when nobody did. */
  readonly editor: string | undefined;
}

/** News is a comment never heard, last saved by its author, and any edit of one that may have been. */
function asHeard(subject: Subject, { data, editor }: Found): CommentEvent | undefined {
  const author = accountOf(data.user);
  const known = heardBefore(subject, data.id);
  const words = { ...wordsOf(subject, data), author };
  if (editor === undefined)
    return known === true ? undefined : { ...words, action: 'created', sender: author };
  if (editor !== author.login) {
    return { ...words, action: 'edited', sender: { login: editor, bot: false } };
  }
  return { ...words, action: known === false ? 'created' : 'edited', sender: author };
}

/** Undefined when it cannot be told. */
function heardBefore({ seen }: Subject, comment: number): boolean | undefined {
  return seen && [...seen].some((id) => id.startsWith(`comment:${comment}@`));
}

function wordsOf(subject: Subject, { id, body = '', updated_at }: Found['data']) {
  const { repository, number, title, labels } = subject;
  return {
    kind: 'comment',
    repository,
    installation_id: null,
    at: updated_at,
    comment: { id, body, former: null, updated_at },
    issue: { number, title, body: '', open: true, is_pull: true, labels },
  } as const;
}
