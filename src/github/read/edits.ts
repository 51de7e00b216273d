import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';

/** By node id: who last edited the text of a comment. Comments that nobody edited are not in it. */
export type Editors = ReadonlyMap<string, string>;

/** An editor whom GitHub does not name: nobody's word but certainly not the author's. */
export const somebody = 'somebody';

/** Nodes that one query may ask for. */
const mostNodes = 100;

/** Only GraphQL tells who edited. Where it does not answer that question, it was somebody, not the author. */
export async function editorsOf(octokit: Octokit, ids: readonly string[]): Promise<Editors> {
  const editors = new Map<string, string>();
  for (let first = 0; first < ids.length; first += mostNodes) {
    const some = ids.slice(first, first + mostNodes);
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
    octokit.log.warn(`who edited comments cannot be learned, so their edits do not count: ${fault.message}`);
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
