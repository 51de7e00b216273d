import type { Exchange } from '@coxswain/forge';
import type { ValidateFunction } from 'ajv';
import { type Description, describedByGitHub, type Json } from './validators.ts';

/** Validates all responses and webhooks against GitHub's description; pass its callbacks to `startForge`. */
export interface Recorder {
  onExchange: (exchange: Exchange) => void;
  onDelivery: (event: string, payload: Json) => void;
  /** All differences; empty if the forge matches the description. */
  problems: string[];
  /** How many bodies and payloads were validated. */
  checked: () => number;
}

/** Where GitHub differs from its own description. */
const knownDifferences = [
  // A comment by a person has no app; in the description of edited and deleted comments null is missing.
  /\/comment\/performed_via_github_app must be object/,
  // A conflict is to be exactly one of two errors, but every error is valid as the plainer of them.
  /^409 of PUT \S+\/contents\/\{path\}: .*"passingSchemas":\[0,1\]/,
];

/** Routes of GitHub that its description does not contain. */
const undescribed = new Set(['POST /graphql']);

export async function openapiRecorder(): Promise<Recorder> {
  const description = await describedByGitHub();
  const problems: string[] = [];
  let checked = 0;
  const check: Check = (where, body) => {
    checked += 1;
    const validate = description.validators[where];
    if (validate === undefined) problems.push(`${where} has no schema`);
    else if (!validate(body)) problems.push(...messages(where, validate));
  };
  return {
    problems,
    checked: () => checked,
    onExchange(exchange) {
      const key = `${exchange.method} ${exchange.route}`;
      if (exchange.route === 'none' || undescribed.has(key)) return;
      if (description.routes[key] === undefined) problems.push(`${key} is not in GitHub's description`);
      else validateExchange(exchange, { key, description, check, problems });
    },
    onDelivery(event, payload) {
      const name = [event, payload['action']].filter(Boolean).join('-').replaceAll('_', '-');
      if (description.webhooks[name] === undefined) {
        problems.push(`webhook ${name} is not in GitHub's description`);
      } else check(`webhook ${name}`, payload);
    },
  };
}

/** Whatever is below the former name of a repository answers so, which the description says of few routes. */
const redirects = new Set([301, 307]);

type Check = (where: string, body: unknown) => void;

interface ExchangeContext {
  readonly key: string;
  readonly description: Description;
  readonly check: Check;
  readonly problems: string[];
}

function validateExchange(exchange: Exchange, { key, description, check, problems }: ExchangeContext): void {
  const { status, requestBody, responseBody } = exchange;
  const operation = description.routes[key];
  // Tests send invalid bodies on purpose, so only accepted ones are validated.
  if (operation?.request && requestBody !== undefined && status < 400)
    check(`request of ${key}`, requestBody);
  const where = `${status} of ${key}`;
  const schema = operation?.responses[String(status)];
  if (schema) check(where, responseBody);
  else if (status >= 400 || redirects.has(status))
    problems.push(...(hasMessage(responseBody) ? [] : [`${where}: must have a message`]));
  else if (schema === undefined) problems.push(`${where}: GitHub never responds with it`);
}

function hasMessage(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
}

function messages(where: string, validate: ValidateFunction): string[] {
  return (validate.errors ?? [])
    .map((error) => `${where}: ${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`)
    .filter((message) => !knownDifferences.some((known) => known.test(message)));
}
