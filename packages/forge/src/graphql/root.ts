import { buildSchema, type GraphQLError, graphql } from 'graphql';
import type { Json } from '../model.ts';
import { HttpError, ok } from '../responses.ts';
import { openRoute, type Route } from '../router.ts';
import { mutations } from './mutations.ts';
import { nodeById, repositoryNamed, viewerNode } from './nodes.ts';
import { sdl } from './sdl.ts';
import { accountOf, ResolverError, type Viewer } from './viewer.ts';

const schema = buildSchema(sdl);

/** The resolvers of Query and Mutation for one viewer. */
function rootFor(viewer: Viewer) {
  return {
    viewer: () => viewerNode(accountOf(viewer)),
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
    const { data, errors } = await graphql({
      schema,
      source: input.requiredText('query'),
      rootValue: rootFor({ context, actor }),
      variableValues: input.object('variables')?.fields,
    });
    return ok({ ...(data && { data }), ...(errors && { errors: errors.map(errorPayload) }) });
  }),
];

/** In GitHub's format: only errors of resolvers have a `type`. Any other error of one is a bug of the forge. */
function errorPayload(error: GraphQLError): Json {
  const { originalError, message } = error;
  if (!originalError) return { ...error.toJSON() };
  if (originalError instanceof ResolverError) return { ...error.toJSON(), type: originalError.type };
  if (originalError instanceof HttpError) return { ...error.toJSON(), type: 'UNPROCESSABLE' };
  throw new Error(`could not resolve a query: ${message}`, { cause: originalError });
}
