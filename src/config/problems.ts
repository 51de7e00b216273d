import { dump } from 'js-yaml';
import { z } from 'zod';
import { type Path, type Problem, pathText, receivedText } from './schema/config-problem.ts';
import { keysAt, layersOf, nodeAt, placesIn, saidOf, valueAt } from './schema/document.ts';
import type { Bounding, Violation } from './schema/operator-bounds.ts';
import { orMeant, suggestionFor } from './schema/suggestion.ts';
import type { LineOf } from './yaml.ts';

/** The values of a document that exceed the operator's bounds; `mended` is where nothing of it was read. */
export function beyond(reading: Reading, by: Bounding, mended: readonly Path[] = []): readonly Problem[] {
  const read = placesIn(reading.schema, reading.document).filter(
    ({ path }) => !isAmong(pathText(path), mended),
  );
  return read.flatMap(({ path, value, key }) =>
    boundProblems(path, key.operator?.beyond(value, by) ?? [], reading),
  );
}

export function boundProblems(path: Path, violations: readonly Violation[], reading: Reading) {
  return violations.map(({ path: below = [], allowed, bound, example }): Problem => {
    const at = [...path, ...below];
    const problem = problemAt(at, `${allowed} (the operator's bound ${bound})`, reading);
    return example === undefined ? problem : { ...problem, example: exampleOf(at, example) };
  });
}

/** Whether a problem is at one of these paths, or below one. */
export function isAmong(path: string, paths: readonly Path[]): boolean {
  return paths.some((other) => {
    const above = pathText(other);
    return path === above || above === '' || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
  });
}

export interface Reading<S extends z.ZodType = z.ZodType> {
  readonly document: unknown;
  readonly schema: S;
  readonly lineOf: LineOf;
}

/** Tells the schema's errors in the order of the file. */
export function problemsFrom(error: z.ZodError, reading: Reading): readonly Problem[] {
  const problems = error.issues.filter(isOwn).flatMap((issue) => {
    // YAML has no symbols as keys.
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, reading));
    return [{ ...problemAt(path, issue.message, reading), example: exampleAt(path, reading) }];
  });
  return inOrder(problems);
}

/** What has a length is measured even where it is of the wrong kind, which has been said before. */
function isOwn({ path }: z.core.$ZodIssue, index: number, issues: readonly z.core.$ZodIssue[]): boolean {
  return !issues
    .slice(0, index)
    .some(
      (other) => other.code === 'invalid_type' && z.core.toDotPath(other.path) === z.core.toDotPath(path),
    );
}

/**
 * A problem with a value that the schema itself allows; `expected` says why it is wrong. The example of the
 * schema might be wrong for the same reason, so there is none unless `exampleOf` gives one.
 */
export function problemAt(path: Path, expected: string, reading: Reading): Problem {
  return {
    path: pathText(path),
    expected,
    received: receivedAt(path, valueAt(reading.document, path)),
    example: '',
    ...lineAt(path, reading),
  };
}

/** Where a variable is to be named, people write what it is to hold, and problems are logged and posted. */
function receivedAt(path: Path, value: unknown): string {
  const isOfVariable = String(path.at(-1)).endsWith('_env');
  return isOfVariable && typeof value === 'string' && !/^(?:[A-Z][A-Z0-9_]*|\w{0,30})$/.test(value)
    ? 'another text, which may be a secret'
    : receivedText(value);
}

function unknownKey(owner: Path, key: string, reading: Reading): Problem {
  const known = keysAt(reading.schema, reading.document, owner);
  const names = known.map(([name]) => name);
  const meant = suggestionFor(key, names);
  const available = known.filter(([, each]) => !isNever(each)).map(([name]) => name);
  const one = available.length === 0 ? 'no key here' : `one of ${available.join(', ')}`;
  return {
    path: pathText([...owner, key]),
    expected: orMeant(key, names, one),
    received: `the unknown key ${receivedText(key)}`,
    example: exampleAt(meant === undefined ? owner : [...owner, meant], reading),
    ...lineAt([...owner, key], reading),
  };
}

function lineAt(path: Path, { lineOf }: Reading): { readonly line?: number } {
  const line = lineOf(path);
  return line === undefined ? {} : { line };
}

/** Whether there must be no such key. */
function isNever(schema: z.core.$ZodType): boolean {
  return layersOf(schema).some((layer) => layer instanceof z.ZodNever);
}

/** The nearest example in the schema, as YAML under its key; empty for a key that must not be there. */
function exampleAt(path: Path, { schema, document }: Reading): string {
  if (path.length === 0) return yamlOf(saidOf(schema).examples?.[0] ?? {});
  for (let length = path.length; length > 0; length -= 1) {
    const node = nodeAt(schema, document, path.slice(0, length));
    if (node?.core instanceof z.ZodNever) return '';
    const [example] = node?.said.examples ?? [];
    const text = example === undefined ? '' : exampleOf(path.slice(0, length), example);
    if (text !== '') return text;
  }
  return '';
}

/** A value for a path, as YAML under its key; empty for an item of a list. */
export function exampleOf(path: Path, value: unknown): string {
  const key = path.at(-1);
  return typeof key === 'string' ? yamlOf({ [key]: value }) : '';
}

function yamlOf(value: unknown): string {
  return dump(value, { flowLevel: 1, lineWidth: -1 }).trimEnd();
}

/** Each round mends everything that the one before found. */
const maxRounds = 10;

/** More in one round are one mistake, and each is looked into: strangers' texts are read, too. */
const maxFound = 50;

/**
 * Everything that is wrong with a document. A schema judges how values go together only once each of them is
 * right, so each wrong value is replaced by its example, and what was hidden behind it comes to light. `data`
 * is what was read, where necessary with such examples: at the paths in `mended`, it is nothing that people
 * wrote.
 */
export function checkAll<S extends z.ZodType>(reading: Reading<S>) {
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
    for (const path of next) document = replaced(document, path, mendingExample(path, fresh, reading));
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
function mendingExample(path: Path, fresh: readonly Path[], { schema, document }: Reading): unknown {
  return fresh.length === 0 ? undefined : nodeAt(schema, document, path)?.said.examples?.[0];
}

/** Gives a document that has another value at a path. */
export function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  const inner = replaced(valueAt(value, [step]), rest, by);
  if (Array.isArray(value)) return value.with(Number(step), inner);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== step);
  return Object.fromEntries(inner === undefined ? entries : [...entries, [step, inner]]);
}

/** People look for them in the order of the file. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
}
