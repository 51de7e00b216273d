import { executeRequest } from '../graphql/execute.ts';
import { rootFor } from '../graphql/root.ts';
import { HttpError, ok } from '../responses.ts';
import { openRoute, type Route } from '../router.ts';

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
