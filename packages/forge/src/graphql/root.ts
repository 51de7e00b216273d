import { viewerNode } from './accounts.ts';
import { mutations } from './mutations.ts';
import { nodeById } from './nodes.ts';
import { repositoryNamed } from './repositories.ts';
import { accountOf, type Viewer } from './viewer.ts';

/** What the fields of Query and Mutation answer to one viewer. */
export function rootFor(viewer: Viewer) {
  return {
    viewer: () => viewerNode(viewer.context, accountOf(viewer)),
    repository: ({ owner, name }: { owner: string; name: string }) => repositoryNamed(viewer, owner, name),
    node: ({ id }: { id: string }) => nodeById(viewer, id),
    // Each is looked up by itself: one that is not there is null, with an error of its own.
    nodes: ({ ids }: { ids: string[] }) => ids.map(async (id) => nodeById(viewer, id)),
    ...mutations(viewer),
  };
}
