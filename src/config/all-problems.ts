import { z } from 'zod';
import { nodeAt } from './document.ts';
import { isAmong, problemsFrom, type Reading } from './problems.ts';
import { valueAt } from './schema/json-schema.ts';
import { type Path, type Problem, pathText } from './schema/problem.ts';

/** A document as a schema reads it, or everything that is wrong with it. */
export interface Checked<T> {
  readonly problems: readonly Problem[];
  /** What was read, where necessary with examples in the place of what is wrong. */
  readonly data: T | undefined;
  /** Where nothing of what people wrote was read. */
  readonly mended: readonly Path[];
}

/** Each round mends everything that the one before found. */
const maxRounds = 10;

/** More in one round are one mistake, and each is looked into: strangers' texts are read, too. */
const maxFound = 50;

/**
 * Everything that is wrong with a document. A schema judges how values go together only once each of them is
 * right, so each wrong value is replaced by its example, and what was hidden behind it comes to light.
 */
export function checkAll<S extends z.ZodType>(reading: Reading<S>): Checked<z.output<S>> {
  const problems: Problem[] = [];
  const mended: Path[] = [];
  let { document } = reading;
  for (let round = 0; round < maxRounds; round += 1) {
    const checked = reading.schema.safeParse(document);
    if (checked.success) return { problems: inOrder(problems), data: checked.data, mended };
    const { error, isCut } = firstOf(checked.error);
    const found = pathsOf(error);
    const fresh = found.filter((path) => !isAmong(pathText(path), mended));
    problems.push(...problemsFrom(error, reading).filter(({ path }) => isAmong(path, fresh)));
    if (isCut) break;
    // An example that does not go together with the rest: without all that it is a part of.
    const next = fresh.length > 0 ? fresh : found.map((path) => path.slice(0, 1));
    mended.push(...next);
    for (const path of next) document = replaced(document, path, exampleOf(path, fresh, reading));
  }
  return { problems: inOrder(problems), data: undefined, mended };
}

/** The first issues of an error, and the first keys of each that is about unknown ones. */
function firstOf({ issues }: z.ZodError): { readonly error: z.ZodError; readonly isCut: boolean } {
  const first = issues
    .slice(0, maxFound)
    .map((issue) =>
      issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, maxFound) } : issue,
    );
  const isCut =
    issues.length > maxFound ||
    issues.some((issue) => issue.code === 'unrecognized_keys' && issue.keys.length > maxFound);
  return { error: new z.ZodError(first), isCut };
}

function pathsOf({ issues }: z.ZodError): readonly Path[] {
  return issues.flatMap((issue) => {
    const path = issue.path as Path; // YAML has no symbols as keys
    return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
  });
}

/** None for unknown keys, nor for what an example did not mend. */
function exampleOf(path: Path, fresh: readonly Path[], { schema, document }: Reading): unknown {
  return fresh.length === 0 ? undefined : nodeAt(schema, document, path)?.said.examples?.[0];
}

/** The same with another value at a path. */
export function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  const inner = replaced(valueAt(value, [step]), rest, by);
  if (Array.isArray(value)) return value.with(Number(step), inner);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== step);
  return Object.fromEntries(inner === undefined ? entries : [...entries, [step, inner]]);
}

/** As in the file. */
function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
}
