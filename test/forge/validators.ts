import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import formats from 'ajv-formats';
import { onceInRun } from '../setup/once.ts';

export type Json = Record<string, unknown>;

/** GitHub's OpenAPI description, trimmed to the routes and webhooks of the forge. */
export interface Description {
  readonly routes: Readonly<Record<string, Operation>>;
  readonly webhooks: Readonly<Record<string, Json>>;
  /** By `request of POST /path`, `201 of POST /path` and `webhook issues-opened`, where there is a schema. */
  readonly validators: Readonly<Record<string, ValidateFunction>>;
}

export interface Operation {
  readonly request: Json | null;
  readonly responses: Readonly<Record<string, Json | null>>;
}

let description: Promise<Description> | undefined;

/** Compiling takes seconds, so it is done once per test run. */
export function describedByGitHub(): Promise<Description> {
  description ??= read();
  return description;
}

async function read(): Promise<Description> {
  const { folder, facts: names } = await onceInRun('github-validators', async (dir) =>
    compileTo(fileIn(dir)),
  );
  const { routes } = rest();
  const { webhooks } = hooks();
  // Written by `compileTo`, one function for each name.
  const compiled = createRequire(import.meta.url)(fileIn(folder)) as Record<string, ValidateFunction>;
  const pairs = Object.entries(names).flatMap(([name, key]) => {
    const validate = compiled[key];
    return validate === undefined ? [] : [[name, validate] as const];
  });
  return { routes, webhooks, validators: Object.fromEntries(pairs) };
}

function fileIn(folder: string): string {
  return join(folder, 'validators.cjs');
}

/** Returns the export name of each validator. */
function compileTo(file: string): Record<string, string> {
  const ajv = withBothDescriptions();
  const keys: Record<string, string> = {};
  for (const [name, schema] of [...restSchemas(), ...hookSchemas()]) {
    const key = `v${Object.keys(keys).length}`;
    ajv.addSchema(schema, key);
    keys[name] = key;
  }
  const refs = Object.fromEntries(Object.values(keys).map((key) => [key, key]));
  // The package is CommonJS; under ESM its function is the default export's default.
  const code = (standalone as unknown as typeof standalone.default)(ajv, refs);
  const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url));
  writeFileSync(file, code.replaceAll('require("ajv', `require("${packages}ajv`));
  return keys;
}

function withBothDescriptions(): Ajv {
  const code = { optimize: false, source: true };
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, inlineRefs: false, code });
  // As above.
  (formats as unknown as typeof formats.default)(ajv);
  ajv.addSchema({ $id: restName, components: converted(rest().components) });
  ajv.addSchema({ $id: hooksName, components: converted(hooks().components) });
  return ajv;
}

function restSchemas(): readonly (readonly [string, Json])[] {
  return Object.entries(rest().routes).flatMap(([route, { request, responses }]) => {
    const named = Object.entries(responses).map(
      ([status, schema]) => [`${status} of ${route}`, schema] as const,
    );
    return [[`request of ${route}`, request] as const, ...named].flatMap(([name, schema]) =>
      schema === null ? [] : [[name, anchored(schema, restName)] as const],
    );
  });
}

function hookSchemas(): readonly (readonly [string, Json])[] {
  return Object.entries(hooks().webhooks).map(([name, schema]) => {
    return [`webhook ${name}`, anchored(schema, hooksName)] as const;
  });
}

const restName = 'github-openapi.json';
const hooksName = 'github-webhooks.json';

const rest = () => fixture<{ routes: Record<string, Operation>; components: Json }>(restName);
const hooks = () => fixture<{ webhooks: Record<string, Json>; components: Json }>(hooksName);

function fixture<Content>(name: string): Content {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8'));
}

/** Makes references to components absolute. */
function anchored(schema: Json, name: string): Json {
  return JSON.parse(JSON.stringify(converted(schema)).replaceAll('"#/components/', `"${name}#/components/`));
}

/** OpenAPI 3.0 says `nullable: true` where JSON Schema has a type of null. */
function converted<Thing>(thing: Thing): Thing {
  if (Array.isArray(thing)) return thing.map(converted) as Thing;
  if (typeof thing !== 'object' || thing === null) return thing;
  const entries = Object.entries(thing).map(([key, value]) => [key, converted(value)]);
  const { nullable, ...schema }: Json = Object.fromEntries(entries);
  // Email addresses in commits are free text, and those of bots contain brackets.
  if (schema['format'] === 'email') delete schema['format'];
  // A property may itself be called nullable; only `true` is the keyword.
  if (nullable !== true) return { ...schema, ...(nullable === undefined ? {} : { nullable }) } as Thing;
  return { anyOf: [{ ...schema }, { type: 'null' }] } as Thing;
}
