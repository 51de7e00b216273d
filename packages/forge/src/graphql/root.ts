import {
  buildSchema,
  execute,
  type GraphQLError,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { performAs } from '../api.ts';
import type { Json } from '../model.ts';
import { HttpError, ok } from '../responses.ts';
import { openRoute, type Route, type Router } from '../router.ts';
import { fieldOf, type PageArguments, viewerNode } from './fields.ts';
import { mutations } from './mutations.ts';
import { nodeById, repositoryNamed, search } from './nodes.ts';
import { type Perform, restMutations } from './rest-mutations.ts';
import { sdl } from './sdl.ts';
import { accountOf, ResolverError, type Viewer } from './viewer.ts';

const schema = buildSchema(sdl);

/** Like GitHub, answers also those who ask an issue or pull request for its state, which are two enums. */
const rules = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/** The resolvers of Query and Mutation for one viewer. */
function rootFor(viewer: Viewer, perform: Perform) {
  return {
    viewer: () => viewerNode(viewer.context, accountOf(viewer).id),
    repository: ({ owner, name }: { owner: string; name: string }) => repositoryNamed(viewer, owner, name),
    node: ({ id }: { id: string }) => nodeById(viewer, id),
    // Each is resolved separately: a missing one is null and has an error of its own.
    nodes: ({ ids }: { ids: string[] }) => ids.map(async (id) => nodeById(viewer, id)),
    search: (wanted: PageArguments & { query: string }) => search(viewer, wanted),
    ...mutations(viewer),
    ...restMutations(viewer, perform),
  };
}

/** GraphQL responds with 200 even if it rejects the query; only an anonymous request is a 401. */
export function graphqlRoute(rest: Router): Route {
  return openRoute('POST /graphql', async ({ context, actor, input }) => {
    if (actor.kind === 'anonymous') {
      throw new HttpError(401, 'This endpoint requires you to be authenticated.');
    }
    const viewer = { context, actor };
    const asked = documentIn(input.requiredText('query'));
    if ('errors' in asked) return ok({ errors: asked.errors });
    const { data, errors } = await execute({
      schema,
      document: asked.document,
      rootValue: rootFor(viewer, (call) => performAs(context, rest, { actor, ...call })),
      contextValue: viewer,
      fieldResolver: fieldOf,
      variableValues: input.object('variables')?.fields,
    });
    return ok({ ...(data && { data }), ...(errors && { errors: errors.map(errorPayload) }) });
  });
}

function documentIn(source: string) {
  try {
    const document = parse(source);
    const errors = validate(schema, document, rules);
    return errors.length > 0 ? { errors } : { document };
  } catch (error) {
    return { errors: [error] };
  }
}

/** In GitHub's format: only errors of resolvers have a `type`. Any other error of one is a bug of the forge. */
function errorPayload(error: GraphQLError): Json {
  const { originalError, message, path } = error;
  if (!originalError || !path) return { ...error.toJSON() };
  if (originalError instanceof ResolverError) return { ...error.toJSON(), type: originalError.type };
  if (originalError instanceof HttpError) {
    const type = { 403: 'FORBIDDEN', 404: 'NOT_FOUND' }[originalError.status] ?? 'UNPROCESSABLE';
    return { ...error.toJSON(), type };
  }
  throw new Error(`could not resolve a query: ${message}`, { cause: originalError });
}
