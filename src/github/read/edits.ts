import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';

/** Who last edited a comment, by node id. Comments without edits are absent. */
export type Editors = ReadonlyMap<string, string>;

/** Stands for an editor GitHub does not name; treated as someone other than the author. */
export const somebody = 'somebody';

/** Nodes per query. */
const maxNodes = 100;

/** Only GraphQL knows the editor. If it does not answer, the edit is not attributed to the author. */
export async function editorsOf(octokit: Octokit, ids: readonly string[]): Promise<Editors> {
  const editors = new Map<string, string>();
  for (let first = 0; first < ids.length; first += maxNodes) {
    const some = ids.slice(first, first + maxNodes);
    for (const [id, editor] of await editorsAmong(octokit, some)) editors.set(id, editor);
  }
  return editors;
}

async function editorsAmong(octokit: Octokit, ids: readonly string[]): Promise<[string, string][]> {
  try {
    const { nodes } = await octokit.graphql<Edits>(query, { ids });
    return nodes.flatMap((node) =>
      node?.lastEditedAt ? [[node.id, node.editor?.login ?? somebody] as [string, string]] : [],
    );
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    octokit.log.warn(`could not find out who edited comments, so their edits do not count: ${fault.message}`);
    return ids.map((id) => [id, somebody]);
  }
}

const query = `query($ids: [ID!]!) {
  nodes(ids: $ids) { ... on IssueComment { id lastEditedAt editor { login } } }
}`;

interface Edits {
  readonly nodes: readonly (Edit | null)[];
}

interface Edit {
  readonly id: string;
  readonly lastEditedAt: string | null;
  readonly editor: { readonly login: string } | null;
}
