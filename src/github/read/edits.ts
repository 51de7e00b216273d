import { type Account, somebody as unnamed } from '../../steering/shapes/people.ts';
import { byTime, later } from '../../steering/shapes/time.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/** Who changed a text and when (ISO 8601); null is someone whom GitHub does not name. */
interface TextEdit {
  readonly by: Account | null;
  readonly at: string;
}

/** All edits of a text, its original version included if it was ever changed; null if they are unknown. */
export type EditHistory = readonly TextEdit[] | null;

/** Stands for an editor whom GitHub does not name. */
const somebody: Account = { login: unnamed, id: 0 };

/** GitHub's limit, for the nodes of a query and for the edits of a page. */
const perPage = 100;

/** Pages of edits that are read of one text. */
const maxPages = 5;

/**
 * The edit histories of comments, reviews and issues, by node id. The last editor is not enough: an author's
 * own edit would hide what someone else wrote before it. An answer that GitHub refuses makes them unknown.
 */
export async function editsOf(
  octokit: Octokit,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EditHistory>> {
  const histories = new Map<string, EditHistory>();
  for (let first = 0; first < ids.length; first += perPage) {
    const some = ids.slice(first, first + perPage);
    for (const text of await textsWith(octokit, some)) {
      if (text !== null) histories.set(text.id, await historyOf(octokit, text));
    }
  }
  return histories;
}

/** Someone who changed a text other than its author; undefined only if it is certain that nobody did. */
export function otherEditor(history: EditHistory | undefined, author: Account): Account | undefined {
  if (history === undefined || history === null) return somebody;
  const others = history.filter(({ by }) => by === null || by.id === 0 || by.id !== author.id);
  return others.length === 0 ? undefined : (others[0]?.by ?? somebody);
}

/** Asked only for names and times: the texts themselves can be long. */
const query = `query($ids: [ID!]!, $after: String) {
  nodes(ids: $ids) {
    ... on Comment {
      id
      lastEditedAt
      userContentEdits(first: ${perPage}, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { editedAt editor { login ... on User { databaseId } } }
      }
    }
  }
}`;

interface Text {
  readonly id: string;
  readonly lastEditedAt: string | null;
  readonly userContentEdits: {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly nodes: readonly (Edit | null)[] | null;
  } | null;
}

/** A version of a text, as GitHub lists it. */
interface Edit {
  readonly editedAt: string;
  readonly editor: { readonly login: string; readonly databaseId?: number | null } | null;
}

async function textsWith(
  octokit: Octokit,
  ids: readonly string[],
  after: string | null = null,
): Promise<readonly (Text | null)[]> {
  try {
    const { nodes } = await octokit.graphql<{ nodes: readonly (Text | null)[] }>(query, { ids, after });
    return nodes;
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    octokit.log.warn(`could not find out who edited what, so those texts do not count: ${fault.message}`);
    return [];
  }
}

/** Null if there are too many pages, or if the text was edited but no edit is listed. */
async function historyOf(octokit: Octokit, first: Text): Promise<EditHistory> {
  const edits: TextEdit[] = [];
  let text: Text | null | undefined = first;
  for (let page = 1; ; page++) {
    const found: Text['userContentEdits'] | undefined = text?.userContentEdits;
    edits.push(...(found?.nodes ?? []).map(editFrom));
    if (edits.length === 0) return first.lastEditedAt === null ? [] : null;
    if (!found?.pageInfo.hasNextPage) return found ? edits : null;
    if (page === maxPages) return null;
    [text] = await textsWith(octokit, [first.id], found.pageInfo.endCursor);
  }
}

/** Only users have ids that can be compared with an author's; Apps and deleted accounts are nobody's own. */
function editFrom(edit: Edit | null): TextEdit {
  const { editor = null, editedAt = '' } = edit ?? {};
  return { by: editor && { login: editor.login, id: editor.databaseId ?? 0 }, at: editedAt };
}

/** How an issue reads now, and who has changed it. */
export type IssueText = Awaited<ReturnType<typeof readIssueText>>;

/** Reads the text of an issue and its newest changes with one query. */
export async function readIssueText(octokit: Octokit, where: RepositoryRef, number: number) {
  const { repository } = await octokit.graphql<Answer>(issueQuery, { ...repoParams(where), number });
  const { title, body, author, createdAt, userContentEdits, timelineItems } = repository.issue;
  const versions = (userContentEdits?.nodes ?? []).flatMap((edit) =>
    edit === null ? [] : [changeOf(edit.editor, edit.editedAt)],
  );
  // The oldest is the original version, unless there are more.
  const edits = versions.at(-1)?.at === createdAt ? versions.slice(0, -1) : versions;
  const renames = timelineItems.nodes.flatMap((item) =>
    item === null ? [] : [changeOf(item.actor, item.createdAt)],
  );
  const ends = [
    userContentEdits?.pageInfo.hasNextPage ? oldestOf(edits) : undefined,
    timelineItems.pageInfo.hasPreviousPage ? oldestOf(renames) : undefined,
  ].flatMap((time) => time ?? []);
  return {
    ...{ title, body },
    /** Who opened it; null if GitHub does not name a person. */
    author: author?.databaseId ? { login: author.login, id: author.databaseId } : null,
    /** Changes of its title and its body, newest first; only the newest of each are listed. */
    changes: [...edits, ...renames].sort((one, other) => byTime(other, one)),
    /** There may be more changes before this time, ISO 8601; null if all are listed. */
    listed_since: ends.reduce<string | null>((latest, end) => later(latest ?? undefined, end), null),
  };
}

/** Someone else who changed an issue at or after a time (ISO 8601), or may have; undefined if nobody did. */
export function changedSince(text: IssueText, since: string, known: readonly Account[]): Account | undefined {
  const from = Date.parse(since);
  const other = text.changes.find(
    ({ by, at }) => Date.parse(at) >= from && (by.id === 0 || !known.some(({ id }) => id === by.id)),
  );
  if (other !== undefined) return other.by;
  return text.listed_since !== null && Date.parse(text.listed_since) >= from ? somebody : undefined;
}

function oldestOf(changes: readonly ReturnType<typeof changeOf>[]): string | undefined {
  return changes.toSorted(byTime)[0]?.at;
}

function changeOf(actor: Actor | null, at: string) {
  return { by: actor === null ? somebody : { login: actor.login, id: actor.databaseId ?? 0 }, at };
}

const issueQuery = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issue(number: $number) {
      title
      body
      createdAt
      author { login ... on User { databaseId } }
      userContentEdits(first: 100) {
        pageInfo { hasNextPage }
        nodes { editedAt editor { login ... on User { databaseId } } }
      }
      timelineItems(last: 100, itemTypes: [RENAMED_TITLE_EVENT]) {
        pageInfo { hasPreviousPage }
        nodes { ... on RenamedTitleEvent { createdAt actor { login ... on User { databaseId } } } }
      }
    }
  }
}`;

interface Answer {
  readonly repository: {
    readonly issue: {
      readonly title: string;
      readonly body: string;
      readonly createdAt: string;
      readonly author: Actor | null;
      readonly userContentEdits: {
        readonly pageInfo: { readonly hasNextPage: boolean };
        readonly nodes: readonly (Edit | null)[] | null;
      } | null;
      readonly timelineItems: {
        readonly pageInfo: { readonly hasPreviousPage: boolean };
        readonly nodes: readonly ({ readonly createdAt: string; readonly actor: Actor | null } | null)[];
      };
    };
  };
}

type Actor = NonNullable<Edit['editor']>;
