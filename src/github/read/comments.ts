import type { GitHubEventOf } from '../events/github-event.ts';
import { mayContainCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type EditHistory, editsOf, otherEditor } from './edits.ts';
import { type Missed, type Reading, unreadIn } from './missed.ts';
import { readPages } from './pages.ts';
import { accountOf, repoParams } from './repository.ts';
import type { Subject } from './subject.ts';

type CommentEvent = GitHubEventOf<'comment'>;

/** A limit for one sweep of a run, 5,000 comments; the oldest come first, and the next sweep goes on. */
const maxPages = 50;

/**
 * The people's comments with commands written or edited since a time, as if their webhooks had arrived. If
 * anyone else ever edited a comment, that is an edit and never a command of its author. One whose edits are
 * unknown is neither.
 */
export async function commentsSince(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<Missed<CommentEvent> & Reading> {
  const { repository, number } = subject;
  const place = { ...repoParams(repository), issue_number: number, since, per_page: 100 };
  const { found, read_at, complete } = await readPages(
    octokit.paginate.iterator(octokit.rest.issues.listComments, place),
    maxPages,
  );
  const comments = found.filter((data) => isNews(subject, data));
  const edits = await editsOf(
    octokit,
    comments.map(({ node_id }) => node_id),
  );
  return {
    // Those that are left are not older than the last one.
    read_at: complete ? read_at : found.at(-1)?.created_at,
    complete,
    events: comments.flatMap((data) => eventFrom(subject, { data, edits: edits.get(data.node_id) }) ?? []),
    unread: comments
      .filter(({ node_id }) => !edits.has(node_id))
      .map(({ id }) => unreadIn(subject, `comment ${id}`)),
  };
}

function isNews(subject: Subject, data: Found['data']): boolean {
  if (accountOf(data.user).bot) return false;
  if (wasTouched(data)) return true;
  return wasRecorded(subject, data.id) !== true && mayContainCommand(data.body ?? '');
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
    readonly node_id: string;
    readonly body?: string | undefined;
    readonly user: { readonly login: string; readonly id: number; readonly type?: string } | null;
    readonly created_at: string;
    readonly updated_at: string;
    readonly performed_via_github_app?: { readonly id: number; readonly slug?: string | undefined } | null;
  };
  readonly edits: EditHistory | undefined;
}

/** A new comment that only its author has edited counts as created; any other edit as an edit. */
function eventFrom(subject: Subject, { data, edits }: Found): CommentEvent | undefined {
  if (edits === undefined) return undefined;
  const author = accountOf(data.user);
  const known = wasRecorded(subject, data.id);
  const facts = { ...factsOf(subject, data), author };
  const other = otherEditor(edits, author);
  if (other !== undefined) return { ...facts, action: 'edited', sender: { ...other, bot: false } };
  if (known === false) return { ...facts, action: 'created', sender: author };
  if (edits !== null && edits.length > 0) return { ...facts, action: 'edited', sender: author };
  return known === true ? undefined : { ...facts, action: 'created', sender: author };
}

/** Undefined when it is unknown. */
function wasRecorded({ seen }: Subject, comment: number): boolean | undefined {
  return seen && [...seen].some((id) => id.startsWith(`comment:${comment}@`));
}

function factsOf(subject: Subject, data: Found['data']) {
  const { repository, number, title, labels } = subject;
  const { id, node_id, body = '', created_at, updated_at, performed_via_github_app: app } = data;
  const via_app = app ? { id: app.id, slug: app.slug ?? '' } : null;
  return {
    kind: 'comment',
    repository,
    installation_id: null,
    at: updated_at,
    comment: { id, node_id, body, former: null, created_at, updated_at, via_app, is_own_text: true },
    issue: { number, title, body: '', open: true, is_pull: true, labels },
  } as const;
}
