import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.end());

interface TypeReference {
  kind: string;
  name: string | null;
  // The query stops below the deepest type, such as `[ID!]!`.
  ofType?: TypeReference | null;
}

interface InputValue {
  name: string;
  type: TypeReference;
  defaultValue: string | null;
}

interface Served {
  name: string;
  kind: string;
  fields: { name: string; type: TypeReference; args: InputValue[] }[] | null;
  inputFields: InputValue[] | null;
  enumValues: { name: string }[] | null;
  possibleTypes: { name: string }[] | null;
}

/** A type in GitHub's schema, as `trim-graphql.mjs` wrote it. */
interface Described {
  name: string;
  kind: string;
  fields?: Record<string, { type: string; args: Record<string, string> }>;
  inputs?: Record<string, string>;
  values?: string[];
  members?: string[];
}

const described: Described[] = JSON.parse(
  readFileSync(new URL('../fixtures/github-graphql.json', import.meta.url), 'utf8'),
).types;

const reference = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
const introspection = `{ __schema { types {
  name kind
  fields { name type { ${reference} } args { name defaultValue type { ${reference} } } }
  inputFields { name defaultValue type { ${reference} } }
  enumValues { name }
  possibleTypes { name }
} } }`;

test("every type of the forge's GraphQL schema is as in GitHub's", async () => {
  const { __schema } = await fixture.person('ada').graphql<{ __schema: { types: Served[] } }>(introspection);
  const served = __schema.types.filter(({ name }) => !name.startsWith('__'));
  expect(served.length).toBeGreaterThan(20);
  expect(served.flatMap(differences)).toEqual([]);
});

/** What a client of GitHub's schema would find different. */
function differences(type: Served): string[] {
  const known = described.find(({ name, kind }) => name === type.name && kind === type.kind);
  if (!known) return [`GitHub has no ${type.kind} ${type.name}`];
  return [
    ...(type.fields ?? []).flatMap(({ name, type: result, args }) => {
      const where = `${type.name}.${name}`;
      const field = known.fields?.[name];
      if (!field) return [`GitHub has no ${where}`];
      const wrong = field.type === nameOf(result) ? [] : [`${where} is ${field.type} on GitHub`];
      return [...wrong, ...inputDifferences(where, args, field.args)];
    }),
    ...inputDifferences(type.name, type.inputFields ?? [], known.inputs ?? {}),
    ...missing(`value of ${type.name}`, type.enumValues, known.values),
    ...missing(`member of ${type.name}`, type.possibleTypes, known.members),
  ];
}

/** The forge may lack optional inputs, but must demand and default what GitHub does. */
function inputDifferences(where: string, inputs: InputValue[], known: Record<string, string>): string[] {
  const own = new Map(inputs.map((input) => [input.name, inputText(input)]));
  const wrong = [...own].filter(([name, text]) => known[name] !== text);
  const absent = Object.entries(known).filter(([name, text]) => text.endsWith('!') && !own.has(name));
  return [
    ...wrong.map(([name]) => `${where}(${name}) is ${known[name] ?? 'absent'} on GitHub`),
    ...absent.map(([name]) => `${where} lacks ${name}, which GitHub requires`),
  ];
}

function missing(what: string, own: { name: string }[] | null, known: string[] = []): string[] {
  return (own ?? []).filter(({ name }) => !known.includes(name)).map(({ name }) => `${name} is no ${what}`);
}

function inputText({ type, defaultValue }: InputValue): string {
  return defaultValue === null ? nameOf(type) : `${nameOf(type)} = ${defaultValue}`;
}

function nameOf({ kind, name, ofType }: TypeReference): string {
  if (!ofType) return name ?? '';
  return kind === 'NON_NULL' ? `${nameOf(ofType)}!` : `[${nameOf(ofType)}]`;
}
