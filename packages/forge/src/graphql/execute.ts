import type { Json } from '../json.ts';
import {
  type Document,
  type Operation,
  ParseError,
  parseDocument,
  type Selection,
  type Value,
} from './parse.ts';

/** A field asked for: its arguments with variables filled in. */
export type Resolver = (given: Json) => Promise<Node | Scalar> | Node | Scalar;
export type Scalar = string | number | boolean | null;

/** An object of the schema: its type and what its fields answer. */
export interface Node {
  type: string;
  fields: Record<string, Resolver>;
}

export interface GraphqlError {
  type?: string;
  message: string;
  path?: string[];
  extensions?: Json;
}

/** A refusal of one field, as GitHub types it (NOT_FOUND, FORBIDDEN, UNPROCESSABLE). */
export class FieldRefusal extends Error {
  override name = 'FieldRefusal';
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export interface Schema {
  query: Node;
  mutation: Node;
}

interface Run {
  variables: Json;
  fragments: Document['fragments'];
  errors: GraphqlError[];
}

/** Runs a document; what the schema does not know is an error before anything is done. */
export async function execute(
  schema: Schema,
  source: string,
  { variables, operation_name }: { variables: Json; operation_name: string | undefined },
): Promise<Json> {
  try {
    const document = parseDocument(source);
    const operation = chosen(document, operation_name);
    const run: Run = { variables: filled(operation, variables), fragments: document.fragments, errors: [] };
    const root = operation.kind === 'mutation' ? schema.mutation : schema.query;
    refuseUnknownFields(root, flattened(root, operation.selections, run));
    const data = await selected(root, operation.selections, { ...run, path: [] });
    return { data, ...(run.errors.length > 0 ? { errors: run.errors } : {}) };
  } catch (error) {
    if (error instanceof ParseError) return { errors: [{ message: error.message }] };
    throw error;
  }
}

function chosen(document: Document, name: string | undefined): Operation {
  const operation = document.operations.find((one) => name === undefined || one.name === name);
  if (!operation) throw new ParseError(`No operation named ${JSON.stringify(name ?? '')}`);
  return operation;
}

function filled(operation: Operation, given: Json): Json {
  const variables: Json = {};
  for (const { name, required, otherwise } of operation.variables) {
    const value = given[name] ?? (otherwise ? resolved(otherwise, {}) : null);
    if (required && value === null) {
      throw new ParseError(`Variable $${name} of a required type was provided invalid value`);
    }
    variables[name] = value;
  }
  return variables;
}

function resolved(value: Value, variables: Json): unknown {
  switch (value.kind) {
    case 'variable':
      if (!(value.name in variables))
        throw new ParseError(`Variable $${value.name} is used but not declared`);
      return variables[value.name];
    case 'literal':
      return value.value;
    case 'list':
      return value.items.map((item) => resolved(item, variables));
    case 'object':
      return given(value.fields, variables);
  }
}

function given(fields: Record<string, Value>, variables: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, resolved(value, variables)]),
  );
}

type Field = Extract<Selection, { kind: 'field' }>;

/** The fields asked of this node, those of fitting fragments among them. */
function flattened(node: Node, selections: Selection[], run: Run): Field[] {
  return selections.flatMap((selection) => {
    if (selection.kind === 'field') return [selection];
    const fragment = selection.kind === 'spread' ? run.fragments[selection.name] : selection;
    if (!fragment) throw new ParseError('Fragment was used, but not defined');
    return fragment.on === node.type || fragment.on === 'Node'
      ? flattened(node, fragment.selections, run)
      : [];
  });
}

function refuseUnknownFields(node: Node, fields: Field[]): void {
  for (const { name } of fields) {
    if (name !== '__typename' && !(name in node.fields)) {
      throw new ParseError(`Field '${name}' doesn't exist on type '${node.type}'`);
    }
  }
}

type Walk = Run & { path: string[] };

async function selected(node: Node, selections: Selection[], walk: Walk): Promise<Json> {
  const fields = flattened(node, selections, walk);
  refuseUnknownFields(node, fields);
  const result: Json = {};
  for (const field of fields) {
    result[field.alias] = await answered(node, field, { ...walk, path: [...walk.path, field.alias] });
  }
  return result;
}

async function answered(node: Node, field: Field, walk: Walk): Promise<unknown> {
  if (field.name === '__typename') return node.type;
  try {
    const answer = await node.fields[field.name]?.(given(field.arguments, walk.variables));
    if (answer === undefined || answer === null || typeof answer !== 'object') return answer ?? null;
    return await selected(answer, field.selections, walk);
  } catch (error) {
    if (!(error instanceof FieldRefusal)) throw error;
    walk.errors.push({ type: error.type, message: error.message, path: walk.path });
    return null;
  }
}
