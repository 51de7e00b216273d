import { HttpError, ok } from '../responses.ts';
import { openRoute, type Route } from '../router.ts';
import { viewerNode } from './accounts.ts';
import { executeRequest } from './execute.ts';
import { mutations } from './mutations.ts';
import { nodeById, repositoryNamed } from './nodes.ts';
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

export const graphqlRoutes: Route[] = [
  /** GraphQL responds with 200 even if it rejects the query; only an anonymous request is a 401. */
  openRoute('POST /graphql', async ({ context, actor, input }) => {
    if (actor.kind === 'anonymous') {
      throw new HttpError(401, 'This endpoint requires you to be authenticated.');
    }
    const query = input.text('query');
    if (query === undefined)
      return ok({ errors: [{ message: 'A query attribute must be specified and must be a string.' }] });
    const result = await executeRequest(rootFor({ context, actor }), {
      query,
      variables: input.object('variables')?.fields ?? {},
      operation_name: input.text('operationName'),
    });
    return ok(result);
  }),
];
