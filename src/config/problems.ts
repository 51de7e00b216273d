import { dump } from 'js-yaml';
import type { z } from 'zod';
import { publishedSchema, type SchemaNode, schemaAt, valueAt } from './json-schema.ts';
import type { LineOf } from './positions.ts';
import { type Path, type Problem, pathText, receivedText } from './problem.ts';
import { suggestionFor } from './suggestion.ts';

export interface Reading {
  readonly document: unknown;
  readonly lineOf: LineOf;
}

/** What the schema objects to, each with what is there, on which line, and what would be right. */
export function problemsFrom(error: z.ZodError, reading: Reading): Problem[] {
  return error.issues.flatMap((issue) => {
    // Symbols never come out of YAML.
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, reading));
    return [problemAt(path, issue.message, reading)];
  });
}

/** A problem with a value that the schema would allow; `expected` says why it is wrong here. */
export function problemAt(path: Path, expected: string, { document, lineOf }: Reading): Problem {
  return {
    path: pathText(path),
    expected,
    received: receivedText(valueAt(document, path)),
    example: exampleAt(path, document),
    ...lineAt(lineOf, path),
  };
}

function unknownKey(owner: Path, key: string, { document, lineOf }: Reading): Problem {
  const known = Object.keys(schemaAt(schema(), document, owner)?.properties ?? {});
  const meant = suggestionFor(key, known);
  const one = known.length === 0 ? 'no key here' : `one of ${known.join(', ')}`;
  return {
    path: pathText([...owner, key]),
    expected: meant === undefined ? one : `${meant} (did you mean that?), or ${one}`,
    received: `the unknown key ${receivedText(key)}`,
    example: meant === undefined ? exampleAt(owner, document) : exampleAt([...owner, meant], document),
    ...lineAt(lineOf, [...owner, key]),
  };
}

function lineAt(lineOf: LineOf, path: Path): { readonly line?: number } {
  const line = lineOf(path);
  return line === undefined ? {} : { line };
}

/** The nearest example the schema has, as YAML under the key it belongs to. */
function exampleAt(path: Path, document: unknown): string {
  for (let length = path.length; length > 0; length -= 1) {
    const key = path[length - 1];
    const example = schemaAt(schema(), document, path.slice(0, length))?.examples?.[0];
    if (example !== undefined && typeof key === 'string') return yamlOf({ [key]: example });
  }
  return yamlOf({ version: 1 });
}

function yamlOf(value: unknown): string {
  return dump(value, { flowLevel: 1, lineWidth: -1 }).trimEnd();
}

let made: SchemaNode | undefined;

/** Made once: it never changes while we run. */
function schema(): SchemaNode {
  made ??= publishedSchema();
  return made;
}
