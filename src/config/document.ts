import { z } from 'zod';
import type { OperatorBound } from './bounds.ts';
import { isMapping } from './json-schema.ts';
import type { Path } from './problem.ts';
import type { Tightening } from './tightening.ts';

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

/** What becomes of a value, by its schema and its place. */
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
    const { def } = (each as z.core.$ZodTypes)._zod; // as below
    if (def.type === 'default' || def.type === 'prefault') return value ?? def.defaultValue;
    if (def.type !== 'object' || !isMapping(value)) return value;
    return Object.fromEntries(Object.keys(def.shape).map((key) => [key, value[key]]));
  });
}

/** A schema with those within it that say more of the same value. */
export function layersOf(schema: Schema): readonly z.ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod; // as below
  const inner = 'innerType' in def ? def.innerType : def.type === 'pipe' ? def.in : undefined;
  // All of ours are made by the same part of Zod.
  return [schema as z.ZodType, ...(inner === undefined ? [] : layersOf(inner))];
}

/** All that a schema says of itself, with what is within it. */
export function saidOf(schema: Schema): z.GlobalMeta {
  return Object.assign(
    {},
    ...layersOf(schema)
      .toReversed()
      .map((layer) => layer.meta()),
  );
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
  const now = change(value, schema, path);
  // Every schema of Zod is one of those that it lists.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const below = (inner: Schema, each: unknown, ...step: Path) =>
    changed(inner, each, change, [...path, ...step]);
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
      return below(def.innerType, now);
    case 'pipe':
      return below(def.in, now);
    case 'array':
      return Array.isArray(now) ? now.map((each, index) => below(def.element, each, index)) : now;
    case 'record':
      return entriesChanged(now, (each, key) => below(def.valueType, each, key));
    case 'object':
      return entriesChanged(now, (each, key) => {
        const inner = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        return inner === undefined ? each : below(inner, each, key);
      });
    case 'union': {
      const option = def.options.find((each) => isOptionFor(each, now));
      return option === undefined ? now : below(option, now);
    }
    default:
      return now;
  }
}

function entriesChanged(value: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, change(each, key)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

/** Agents are told apart by what they use. */
function isOptionFor(option: Schema, value: unknown): boolean {
  const { use } = option instanceof z.ZodObject ? option.shape : {};
  return isMapping(value) && use instanceof z.ZodLiteral && use.value === value['use'];
}
