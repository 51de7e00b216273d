import { z } from 'zod';
import type { Path } from './config-problem.ts';
import type { OperatorBound } from './operator-bounds.ts';
import type { Tightening } from './tightening.ts';

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

export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce(valueIn, document);
}

function valueIn(owner: unknown, step: string | number): unknown {
  if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, step)) return undefined;
  // An own key of an object parsed from YAML.
  return (owner as Record<string | number, unknown>)[step];
}

declare module 'zod' {
  interface GlobalMeta {
    readonly examples?: readonly unknown[] | undefined;
    /** For editors: a union can also be one of these words, anything else a value of these types. */
    readonly short?: string | readonly string[] | undefined;
    /** What the operator bounds of it; absent: nothing. */
    readonly operator?: OperatorBound | undefined;
    /** How a task may change it; absent: it is none of a task's. */
    readonly task?: Tightening | undefined;
    /** Writes a short form out, for which the schema itself has no words. */
    readonly long?: ((written: unknown, document: unknown) => unknown) | undefined;
  }
}

type Schema = z.core.$ZodType;

type Change = (value: unknown, schema: Schema, path: Path) => unknown;

/** The document with its short forms written out, so that the schema has to know one form only. */
export function withLongForms(schema: Schema, document: unknown): unknown {
  return changed(schema, document, (value, each) => {
    const long = value === undefined ? undefined : z.globalRegistry.get(each)?.long;
    return long === undefined ? value : long(value, document);
  });
}

/**
 * The document with everything that holds where nothing is written, in the order of the schema. It is what
 * the schema would read, without what settings make of it.
 */
export function withDefaults(schema: Schema, document: unknown): unknown {
  return changed(schema, document, (value, each) => {
    const def = defOf(each);
    if (def.type === 'default' || def.type === 'prefault') return value ?? def.defaultValue;
    if (def.type !== 'object' || !isMapping(value)) return value;
    return Object.fromEntries(Object.keys(def.shape).map((key) => [key, value[key]]));
  });
}

/** All that a schema says of itself, with what is within it. */
export function saidOf(schema: Schema): z.GlobalMeta {
  return together(layersOf(schema));
}

function together(layers: readonly z.ZodType[]): z.GlobalMeta {
  const said = layers.map((layer) => layer.meta());
  return Object.assign({}, ...said.toReversed());
}

/**
 * The innermost schema at a path of a document, with all that is said there. Of a union it is the option that
 * the document uses. Undefined where the schema knows nothing.
 */
export function nodeAt(schema: Schema, document: unknown, path: Path) {
  let layers = layersOf(schema, document);
  for (const [index, step] of path.entries()) {
    const inner = layers.slice(-1).map((core) => innerOf(core, step))[0];
    if (inner === undefined) return undefined;
    layers = layersOf(inner, valueAt(document, path.slice(0, index + 1)));
  }
  const option = layers.findLastIndex((_, index) => layers[index - 1] instanceof z.ZodUnion);
  const own = layers.slice(Math.max(option, 0));
  return own.slice(-1).map((core) => ({ core, said: together(own) }))[0];
}

/** The keys that a mapping may have at a path of a document, with the schema of each. */
export function keysAt(
  schema: Schema,
  document: unknown,
  path: Path,
): readonly (readonly [string, Schema])[] {
  const core = nodeAt(schema, document, path)?.core;
  return core instanceof z.ZodObject ? Object.entries(core.shape) : [];
}

/** A value that is written, and what its key says of itself. */
export interface Place {
  readonly path: Path;
  readonly value: unknown;
  readonly key: z.GlobalMeta;
}

/** Everything in a document that its schema knows, from the outside to the inside. */
export function placesIn(schema: Schema, document: unknown): readonly Place[] {
  const places: Place[] = [];
  changed(schema, document, (value, each, path) => {
    const key = value === undefined ? undefined : z.globalRegistry.get(each);
    if (key !== undefined) places.push({ path, value, key });
    return value;
  });
  return places;
}

/** The document changed wherever its schema knows a value, from the outside to the inside. */
function changed(schema: Schema, value: unknown, change: Change, path: Path = []): unknown {
  let [now, core] = [value, schema];
  for (let layer: Schema | undefined = schema; layer !== undefined; layer = layerWithin(layer, now)) {
    now = change(now, layer, path);
    core = layer;
  }
  const below = (each: unknown, step: string | number) => {
    const inner = innerOf(core, step);
    return inner === undefined ? each : changed(inner, each, change, [...path, step]);
  };
  if (Array.isArray(now)) return now.map(below);
  if (!isMapping(now)) return now;
  const entries = Object.entries(now).map(([key, each]) => [key, below(each, key)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

/** A schema with those within it that say more of the same value. */
export function layersOf(schema: Schema, value?: unknown): readonly z.ZodType[] {
  const inner = layerWithin(schema, value);
  // All of ours are made by the same part of Zod.
  return [schema as z.ZodType, ...(inner === undefined ? [] : layersOf(inner, value))];
}

function layerWithin(schema: Schema, value: unknown): Schema | undefined {
  const def = defOf(schema);
  if ('innerType' in def) return def.innerType;
  if (def.type === 'pipe') return def.in;
  if (!(schema instanceof z.ZodDiscriminatedUnion) || !isMapping(value)) return undefined;
  const { options, discriminator } = schema.def;
  return options.find((option) => {
    const own = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
    return own instanceof z.ZodLiteral && own.value === value[discriminator];
  });
}

/** The schema of what a list or a mapping has. */
function innerOf(core: Schema, step: string | number): Schema | undefined {
  const def = defOf(core);
  if (def.type === 'array') return typeof step === 'number' ? def.element : undefined;
  if (def.type === 'record') return typeof step === 'string' ? def.valueType : undefined;
  if (def.type !== 'object') return undefined;
  const others = def.catchall instanceof z.ZodNever ? undefined : def.catchall;
  return Object.hasOwn(def.shape, step) ? def.shape[step] : others;
}

/** A schema is made of this: every one of Zod's is one of those that it lists. */
function defOf(schema: Schema) {
  return (schema as z.core.$ZodTypes)._zod.def;
}
