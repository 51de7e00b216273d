import {
  type ASTNode,
  buildSchema,
  type DocumentNode,
  execute,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  Kind,
  parse,
  print,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Json } from '../model.ts';
import { sdl } from './sdl.ts';
import { errorPayload, isExpected } from './viewer.ts';

const schema = buildSchema(sdl);

/** Rejects fields that their type does not have, with GitHub's message and details. */
export const undefinedFields: ValidationRule = (context) => ({
  Field(node, ...[, , , ancestors]) {
    const type = context.getParentType();
    if (!type || context.getFieldDef()) return;
    const fieldName = node.name.value;
    const typeName = type.name;
    context.reportError(
      new GraphQLError(`Field '${fieldName}' doesn't exist on type '${typeName}'`, {
        nodes: node,
        path: [...ancestors, node].flatMap(segmentOf),
        extensions: { code: 'undefinedField', typeName, fieldName },
      }),
    );
  },
});

const rules = [...specifiedRules.filter((rule) => rule !== FieldsOnCorrectTypeRule), undefinedFields];

export interface GraphqlRequest {
  query: string;
  variables: Json;
  operation_name: string | undefined;
}

/** The response body of `POST /graphql`; `root` has a resolver for each field of Query and Mutation. */
export async function executeRequest(root: object, request: GraphqlRequest): Promise<Json> {
  const document = parsed(request.query);
  if (document instanceof GraphQLError) return { errors: [errorPayload(document)] };
  const invalid = validate(schema, document, rules);
  if (invalid.length > 0) return { errors: invalid.map(errorPayload) };
  const { data, errors } = await execute({
    schema,
    document,
    rootValue: root,
    variableValues: request.variables,
    operationName: request.operation_name,
  });
  rethrowBugs(errors);
  if (data === undefined) return { errors: errors?.map((error) => variableError(error, request.variables)) };
  return { data, ...(errors ? { errors: errors.map(errorPayload) } : {}) };
}

/** Any other error is a bug of the forge and must not look like a response of GitHub. */
function rethrowBugs(errors: readonly GraphQLError[] = []): void {
  for (const { originalError } of errors) {
    if (originalError && !isExpected(originalError)) throw originalError;
  }
}

function parsed(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const message = error.message.replace(/^Syntax Error: /, 'Parse error: ');
    return new GraphQLError(message, { source: error.source, positions: error.positions });
  }
}

/** For a variable that does not fit its type, GitHub returns its value and the problem. */
function variableError(error: GraphQLError, variables: Json): Json {
  const [node] = error.nodes ?? [];
  if (node?.kind !== Kind.VARIABLE_DEFINITION) return errorPayload(error);
  const name = node.variable.name.value;
  const value = variables[name] ?? null;
  const explanation = value === null ? 'Expected value to not be null' : error.message;
  const { locations } = error;
  return {
    extensions: { value, problems: [{ path: [], explanation }] },
    locations,
    message: `Variable $${name} of type ${print(node.type)} was provided invalid value`,
  };
}

/** The path in the document: `query Name`, `repository`, `... on Issue`, `title`. */
function segmentOf(node: ASTNode | readonly ASTNode[]): string[] {
  if (!('kind' in node)) return [];
  switch (node.kind) {
    case Kind.OPERATION_DEFINITION:
      return [node.name ? `${node.operation} ${node.name.value}` : node.operation];
    case Kind.FRAGMENT_DEFINITION:
      return [`fragment ${node.name.value}`];
    case Kind.INLINE_FRAGMENT:
      return [node.typeCondition ? `... on ${node.typeCondition.name.value}` : '...'];
    case Kind.FIELD:
      return [(node.alias ?? node.name).value];
    default:
      return [];
  }
}
