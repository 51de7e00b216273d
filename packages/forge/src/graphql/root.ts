import { viewerNode } from './accounts.ts';
import { mutations } from './mutations.ts';
import { nodeById } from './nodes.ts';
import { repositoryNamed } from './repositories.ts';
import { accountOf, type Viewer } from './viewer.ts';

/** The resolvers of Query and Mutation for one viewer. */
export function rootFor(viewer: Viewer) {
  return {
    viewer: () => viewerNode(viewer.context, accountOf(viewer)),
    repository: ({ owner, name }: { owner: string; name: string }) => repositoryNamed(viewer, owner, name),
    node: ({ id }: { id: string }) => nodeById(viewer, id),
    // Each is resolved separately: a missing one is null and has an error of its own.
    nodes: ({ ids }: { ids: string[] }) => ids.map(async (id) => nodeById(viewer, id)),
    ...mutations(viewer),
  };
}
