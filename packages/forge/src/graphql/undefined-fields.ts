import { type ASTNode, GraphQLError, Kind, type ValidationRule } from 'graphql';

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
