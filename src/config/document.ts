import { z } from 'zod';
import { isMapping } from './json-schema.ts';
import type { Path } from './problem.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** For editors: a union can also be written as one of these words, anything else as a value of these types. */
    readonly short?: string | readonly string[] | undefined;
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
