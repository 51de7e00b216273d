import { readFileSync } from 'node:fs';
import type { Exchange } from '@coxswain/forge';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

type Json = Record<string, unknown>;

/** Holds all that a forge says against GitHub's own description. Give its two functions to `startForge`. */
export interface Recorder {
  onExchange: (exchange: Exchange) => void;
  onDelivery: (event: string, payload: Json) => void;
  /** What differed, in sentences; empty when the forge spoke as GitHub does. */
  problems: string[];
  /** How many bodies and payloads were held against a schema. */
  checked: () => number;
}

interface Operation {
  request: Json | null;
  responses: Record<string, Json | null>;
}

/** What GitHub sends although its description says otherwise. */
const knownDifferences = [
  // A comment by a person has no app; the description of edited and deleted comments forgot null.
  /\/comment\/performed_via_github_app must be object/,
];

/** Routes of GitHub that its description of the REST API leaves out. */
const undescribed = new Set(['POST /graphql', 'GET /repositories/{repository_id}']);

export function openapiRecorder(): Recorder {
  const { rest, hooks } = descriptions();
  const problems: string[] = [];
  let checked = 0;
  const hold = (where: string, validate: ValidateFunction, body: unknown) => {
    checked += 1;
    if (!validate(body)) problems.push(...sentences(where, validate));
  };
  return {
    problems,
    checked: () => checked,
    onExchange(exchange) {
      const key = `${exchange.method} ${exchange.route}`;
      if (exchange.route === 'none' || undescribed.has(key)) return;
      const operation = rest.content.routes[key];
      if (!operation) problems.push(`${key} is not in GitHub's description`);
      else holdExchange(exchange, { key, operation, compile: rest.compile, hold });
    },
    onDelivery(event, payload) {
      const name = [event, payload['action']].filter(Boolean).join('-').replaceAll('_', '-');
      const schema = hooks.content.webhooks[name];
      if (!schema) problems.push(`webhook ${name} is not in GitHub's description`);
      else hold(`webhook ${name}`, hooks.compile(schema), payload);
    },
  };
}

interface Holding {
  key: string;
  operation: Operation;
  compile: (schema: Json) => ValidateFunction;
  hold: (where: string, validate: ValidateFunction, body: unknown) => void;
}

function holdExchange(exchange: Exchange, { key, operation, compile, hold }: Holding): void {
  const { status, requestBody, responseBody } = exchange;
  // Tests send wrong bodies on purpose; a refused one need not be right.
  if (operation.request && requestBody !== undefined && status < 400) {
    hold(`request of ${key}`, compile(operation.request), requestBody);
  }
  const schema = operation.responses[String(status)];
  if (schema) hold(`${status} of ${key}`, compile(schema), responseBody);
  else if (status >= 400) hold(`${status} of ${key}`, compile(anyRefusal), responseBody);
  else if (schema === undefined)
    hold(`${status} of ${key}, which GitHub never answers,`, compile(never), responseBody);
}

const anyRefusal = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } };
const never = { not: {} };

function sentences(where: string, validate: ValidateFunction): string[] {
  return (validate.errors ?? [])
    .map((error) => `${where}: ${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`)
    .filter((sentence) => !knownDifferences.some((known) => known.test(sentence)));
}

/** Both descriptions, read once for all recorders. */
const descriptions = once(() => ({
  rest: fixture<{ routes: Record<string, Operation> }>('github-openapi.json'),
  hooks: fixture<{ webhooks: Record<string, Json> }>('github-webhooks.json'),
}));

function once<Value>(work: () => Value): () => Value {
  let value: { done: Value } | undefined;
  return () => {
    value ??= { done: work() };
    return value.done;
  };
}

/** A description with its components, and a compiler for the schemas in it (each compiled once). */
function fixture<Content>(name: string) {
  const file = new URL(`../fixtures/${name}`, import.meta.url);
  const content: Content & { components: Json } = converted(JSON.parse(readFileSync(file, 'utf8')));
  // The package is CommonJS; under ESM its function is the default export's default.
  const addFormats = formats as unknown as typeof formats.default;
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, code: { optimize: false } });
  addFormats(ajv);
  ajv.addSchema({ $id: name, components: content.components });
  const compiled = new Map<Json, ValidateFunction>();
  const compile = (schema: Json): ValidateFunction => {
    const validate = compiled.get(schema) ?? ajv.compile(anchored(schema, name));
    compiled.set(schema, validate);
    return validate;
  };
  return { content, compile };
}

/** References to components, as seen from outside their document. */
function anchored(schema: Json, name: string): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${name}#/components/`));
}

/** OpenAPI 3.0 says `nullable: true` where JSON Schema has a type of null. */
function converted<Thing>(thing: Thing): Thing {
  if (Array.isArray(thing)) return thing.map(converted) as Thing;
  if (typeof thing !== 'object' || thing === null) return thing;
  const entries = Object.entries(thing).map(([key, value]) => [key, converted(value)]);
  const { nullable, ...schema }: Json = Object.fromEntries(entries);
  // Addresses in commits are free text, and those of bots hold brackets.
  if (schema['format'] === 'email') delete schema['format'];
  // A property may itself be called nullable; only `true` is the keyword.
  if (nullable !== true) return { ...schema, ...(nullable === undefined ? {} : { nullable }) } as Thing;
  return { anyOf: [{ ...schema }, { type: 'null' }] } as Thing;
}
