// Cuts the types and fields that the forge serves out of GitHub's own GraphQL schema.
// Usage: node scripts/trim-graphql.mjs <schema.graphql of @octokit/graphql-schema>
// Needs Node 22.18 or newer, which reads TypeScript as it is.
// Writes test/fixtures/github-graphql.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sdl } from '../packages/forge/src/graphql/sdl.ts';

// A dependency of the forge, not of the whole.
const forge = createRequire(new URL('../packages/forge/package.json', import.meta.url));
const { buildSchema, introspectionFromSchema } = forge('graphql');

const [source] = process.argv.slice(2);
if (!source) throw new Error('usage: node scripts/trim-graphql.mjs <path of schema.graphql>');

const served = new Map(typesOf(sdl).map((type) => [type.name, type]));
const types = typesOf(readFileSync(source, 'utf8'))
  .filter(({ name }) => served.has(name))
  .map((type) => trimmed(type, served.get(type.name)));
const text = JSON.stringify({ types: types.sort((a, b) => a.name.localeCompare(b.name)) }, undefined, 1);
writeFileSync('test/fixtures/github-graphql.json', `${text}\n`);
process.stdout.write(`test/fixtures/github-graphql.json: ${Math.round(text.length / 1024)} KiB\n`);

function typesOf(schema) {
  const { __schema } = introspectionFromSchema(buildSchema(schema, { assumeValid: true }));
  return __schema.types.filter(({ name }) => !name.startsWith('__'));
}

/** Output types keep the fields that the forge has; inputs and enums are kept whole. */
function trimmed({ name, kind, fields, inputFields, enumValues, possibleTypes }, own) {
  const known = new Set(own.fields?.map((field) => field.name));
  return {
    name,
    kind,
    ...(fields
      ? {
          fields: entriesOf(
            fields.filter((field) => known.has(field.name)),
            outputOf,
          ),
        }
      : {}),
    ...(inputFields ? { inputs: entriesOf(inputFields, inputOf) } : {}),
    ...(enumValues ? { values: enumValues.map((value) => value.name).sort() } : {}),
    ...(possibleTypes ? { members: possibleTypes.map((member) => member.name).sort() } : {}),
  };
}

function entriesOf(list, render) {
  return Object.fromEntries(
    list.map((one) => [one.name, render(one)]).sort(([a], [b]) => a.localeCompare(b)),
  );
}

function outputOf({ type, args }) {
  return { type: nameOf(type), args: entriesOf(args, inputOf) };
}

/** Such as `Int!`, or `Boolean = true` with a default. */
function inputOf({ type, defaultValue }) {
  return defaultValue === null || defaultValue === undefined
    ? nameOf(type)
    : `${nameOf(type)} = ${defaultValue}`;
}

function nameOf({ kind, name, ofType }) {
  if (kind === 'NON_NULL') return `${nameOf(ofType)}!`;
  return kind === 'LIST' ? `[${nameOf(ofType)}]` : name;
}
