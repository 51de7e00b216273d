import { z } from 'zod';
import type { Path } from './problem.ts';

/** The part of JSON Schema that our schema uses; draft 7, because YAML editors support it. */
export type SchemaNode = Readonly<{
  type?: string | readonly string[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: readonly unknown[];
  const?: unknown;
  enum?: readonly unknown[];
  not?: object;
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode | readonly SchemaNode[];
  oneOf?: readonly SchemaNode[];
}>;

/** The JSON Schema of a configuration as people write it. */
export function jsonSchemaOf(schema: z.ZodType): SchemaNode {
  const options = { io: 'input', target: 'draft-7', override: asPublished } as const;
  // Zod's result type is wider than what our schemas can produce.
  return z.toJSONSchema(schema, options) as SchemaNode;
}

interface Overridden {
  readonly zodSchema: z.core.$ZodType;
  readonly path: readonly (string | number)[];
  readonly jsonSchema: z.core.JSONSchema.BaseSchema & z.GlobalMeta;
}

/**
 * A key is called by its name, unless it has a title of its own. What has `short` in its metadata can also be
 * written in a shorter form: a union as one of these words, anything else as a value of these types. Zod
 * leaves out the examples of what is transformed when it is read, because they could be of either form; ours
 * are as people write them.
 */
function asPublished({ zodSchema, jsonSchema, path }: Overridden): void {
  const name = path.at(-2) === 'properties' ? String(path.at(-1)) : '';
  if (name !== '') jsonSchema.title ??= (name.slice(0, 1).toUpperCase() + name.slice(1)).replaceAll('_', ' ');
  const { short, oneOf, type } = jsonSchema;
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  Object.assign(jsonSchema, examples && { examples });
  if (short !== undefined && oneOf === undefined) Object.assign(jsonSchema, { type: [type, short].flat() });
  if (short !== undefined && oneOf !== undefined) oneOf.push({ type: 'string', enum: [short].flat() });
  for (const own of ['short', 'long', 'task', 'operator']) delete jsonSchema[own];
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, or undefined. */
export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce(valueIn, document);
}

function valueIn(owner: unknown, step: string | number): unknown {
  if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, step)) return undefined;
  // An own key of an object parsed from YAML.
  return (owner as Record<string | number, unknown>)[step];
}

/** The schema of what a mapping has under names of people's own. */
export function entryOf(node: SchemaNode | undefined): SchemaNode | undefined {
  const entry = node?.additionalProperties;
  return typeof entry === 'object' ? entry : undefined;
}

/** The schema of a list's item. */
export function itemOf(node: SchemaNode | undefined, index: number): SchemaNode | undefined {
  const items = node?.items;
  // Otherwise it is a single schema for all items.
  return Array.isArray(items) ? items[index] : (items as SchemaNode | undefined);
}
