import { type Answer, ok, Refusal } from '../answers.ts';
import { execute } from '../graphql/execute.ts';
import { schemaFor } from '../graphql/schema.ts';
import { type ApiRequest, openRoute, type Route } from '../router.ts';

export const graphqlRoutes: Route[] = [openRoute('POST /graphql', answer)];

/** GraphQL answers 200 even to what it refuses; only strangers are turned away at the door. */
async function answer({ context, actor, input }: ApiRequest): Promise<Answer> {
  if (actor.kind === 'anonymous') {
    throw new Refusal(401, 'This endpoint requires you to be authenticated.');
  }
  const source = input.text('query');
  if (source === undefined)
    return ok({ errors: [{ message: 'A query attribute must be specified and must be a string.' }] });
  const result = await execute(schemaFor(context, actor), source, {
    variables: input.object('variables')?.fields ?? {},
    operation_name: input.text('operationName'),
  });
  return ok(result);
}
