import type { Account } from '../../steering/shapes/person.ts';
import { byTime, later } from '../../steering/shapes/time.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type Edit, somebody } from './edits.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** How an issue reads now, and who has changed it. */
export type IssueText = Awaited<ReturnType<typeof readIssueText>>;

/** Reads the text of an issue and its newest changes with one query. */
export async function readIssueText(octokit: Octokit, where: RepositoryRef, number: number) {
  const { repository } = await octokit.graphql<Answer>(query, { ...repoParams(where), number });
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
export function changedSince(
  text: Pick<IssueText, 'changes' | 'listed_since'>,
  since: string,
  known: readonly Account[],
): Account | undefined {
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

const query = `query($owner: String!, $repo: String!, $number: Int!) {
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
