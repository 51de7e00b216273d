import type { Exchange } from '@coxswain/forge';
import type { ValidateFunction } from 'ajv';
import { type Description, describedByGitHub, type Json } from './validators.ts';

/** Holds all that a forge says against GitHub's own description. Give its two functions to `startForge`. */
export interface Recorder {
  onExchange: (exchange: Exchange) => void;
  onDelivery: (event: string, payload: Json) => void;
  /** What differed, in sentences; empty when the forge spoke as GitHub does. */
  problems: string[];
  /** How many bodies and payloads were held against a schema. */
  checked: () => number;
}

/** What GitHub sends although its description says otherwise. */
const knownDifferences = [
  // A comment by a person has no app; the description of edited and deleted comments forgot null.
  /\/comment\/performed_via_github_app must be object/,
];

/** Routes of GitHub that its description of the REST API leaves out. */
const undescribed = new Set(['POST /graphql', 'GET /repositories/{repository_id}']);

export async function openapiRecorder(): Promise<Recorder> {
  const description = await describedByGitHub();
  const problems: string[] = [];
  let checked = 0;
  const hold: Hold = (where, body) => {
    checked += 1;
    const validate = description.validators[where];
    if (validate === undefined) problems.push(`${where} has no schema`);
    else if (!validate(body)) problems.push(...sentences(where, validate));
  };
  return {
    problems,
    checked: () => checked,
    onExchange(exchange) {
      const key = `${exchange.method} ${exchange.route}`;
      if (exchange.route === 'none' || undescribed.has(key)) return;
      if (description.routes[key] === undefined) problems.push(`${key} is not in GitHub's description`);
      else holdExchange(exchange, { key, description, hold, problems });
    },
    onDelivery(event, payload) {
      const name = [event, payload['action']].filter(Boolean).join('-').replaceAll('_', '-');
      if (description.webhooks[name] === undefined) {
        problems.push(`webhook ${name} is not in GitHub's description`);
      } else hold(`webhook ${name}`, payload);
    },
  };
}

type Hold = (where: string, body: unknown) => void;

interface Holding {
  readonly key: string;
  readonly description: Description;
  readonly hold: Hold;
  readonly problems: string[];
}

function holdExchange(exchange: Exchange, { key, description, hold, problems }: Holding): void {
  const { status, requestBody, responseBody } = exchange;
  const operation = description.routes[key];
  // Tests send wrong bodies on purpose; a refused one need not be right.
  if (operation?.request && requestBody !== undefined && status < 400) hold(`request of ${key}`, requestBody);
  const where = `${status} of ${key}`;
  const schema = operation?.responses[String(status)];
  if (schema) hold(where, responseBody);
  else if (status >= 400)
    problems.push(...(isRefusal(responseBody) ? [] : [`${where}: must have a message`]));
  else if (schema === undefined) problems.push(`${where}: GitHub never answers so`);
}

function isRefusal(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
}

function sentences(where: string, validate: ValidateFunction): string[] {
  return (validate.errors ?? [])
    .map((error) => `${where}: ${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`)
    .filter((sentence) => !knownDifferences.some((known) => known.test(sentence)));
}
