import type { GitHubEventOf } from '../events/github-event.ts';
import { mayContainCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { editorsOf } from './edits.ts';
import { accountOf, repoParams } from './repository.ts';
import type { Subject } from './subject.ts';

type CommentEvent = GitHubEventOf<'comment'>;

/**
 * The comments with commands written or edited since a time, as if their webhooks had arrived. If someone
 * else edited a person's comment, that is an edit and never a command of its author.
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
  return comments.flatMap((data) => eventFrom(subject, { data, editor: editors.get(data.node_id) }) ?? []);
}

/** An edit may have removed the command, so an edited comment matters whatever it says now. */
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
    readonly user: { readonly login: string; readonly id: number; readonly type?: string } | null;
    readonly updated_at: string;
  };
  /** Who last edited the text; undefined when nobody did. */
  readonly editor: string | undefined;
}

/** A new comment that was last saved by its author counts as created; any other edit as an edit. */
function eventFrom(subject: Subject, { data, editor }: Found): CommentEvent | undefined {
  const author = accountOf(data.user);
  const known = wasRecorded(subject, data.id);
  const facts = { ...factsOf(subject, data), author };
  if (editor === undefined)
    return known === true ? undefined : { ...facts, action: 'created', sender: author };
  if (editor !== author.login) {
    return { ...facts, action: 'edited', sender: { login: editor, id: 0, bot: false } };
  }
  return { ...facts, action: known === false ? 'created' : 'edited', sender: author };
}

/** Undefined when it is unknown. */
function wasRecorded({ seen }: Subject, comment: number): boolean | undefined {
  return seen && [...seen].some((id) => id.startsWith(`comment:${comment}@`));
}

function factsOf(subject: Subject, { id, body = '', updated_at }: Found['data']) {
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
