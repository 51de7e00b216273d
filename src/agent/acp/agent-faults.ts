import { RequestError } from '@agentclientprotocol/sdk';
import type { ModelFault, Profile } from '../../profiles/profile.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/characters.ts';
import { at, textAt } from '../port/agent-values.ts';

/** The agent cannot go on, or we cannot go on with it. */
export class AgentFault extends Error {
  override name = 'AgentFault';
  readonly failure: Failure;

  constructor(kind: Failure['kind'], message: string) {
    super(message);
    this.failure = { kind, message };
  }
}

/** Its process has ended; how says why. */
export class AgentGone extends Error {
  override name = 'AgentGone';
}

/** The fault behind an error with which an agent answers: its model's, or its own. */
export function faultOf({ title }: Profile, error: RequestError, doing: string): AgentFault {
  const kind = kindOf(error);
  const said = shortened(messageOf(error), 1_000);
  if (kind !== undefined) return modelFault(kind, title, said);
  return new AgentFault('exit', `${title} answered with an error to ${doing}: ${said}`);
}

/** The fault of which an agent tells in its last words of a turn, instead of by an error; else undefined. */
export function faultIn({ title, reading }: Profile, words: string): AgentFault | undefined {
  if (words === '' || words.length > maxFaultWords) return undefined;
  const found = [...(reading.modelFaults ?? []), ...usual].find(({ pattern }) => pattern.test(words));
  return found && modelFault(found.kind, title, shortened(words, 1_000));
}

/** Whoever says more than that is not telling of an error. */
const maxFaultWords = 2_000;

const usual: readonly ModelFault[] = [
  { pattern: /^\W*(?:API )?Error\b[^\n]{0,40}\b40[13]\b/i, kind: 'model_key' },
  { pattern: /^\W*(?:API )?Error\b[^\n]{0,40}\b(?:408|429|5\d\d)\b/i, kind: 'model_unavailable' },
];

function modelFault(kind: ModelFault['kind'], title: string, said: string): AgentFault {
  const what =
    kind === 'model_key'
      ? `the model of ${title} refused its key, or there is none`
      : `the model of ${title} does not answer, or refuses`;
  return new AgentFault(kind, `${what}: ${said}`);
}

/** -32000 means that somebody must log in. Some use the status of the model's answer as the code. */
function kindOf(error: RequestError): ModelFault['kind'] | undefined {
  const status = [error.code, statusIn(error.data)].find((code) => code !== undefined && code >= 400);
  const names = [textAt(error.data, 'errorKind'), textAt(error.data, 'codexErrorInfo')];
  if (error.code === authRequired || status === 401 || status === 403) return 'model_key';
  if (names.some((name) => name !== undefined && keyNames.includes(name))) return 'model_key';
  if (status !== undefined && (status === 408 || status === 429 || status >= 500)) return 'model_unavailable';
  if (names.some((name) => name !== undefined && unavailableNames.includes(name))) return 'model_unavailable';
  const inWords = kindInWords(messageOf(error));
  return inWords ?? (textAt(error.data, 'errorName') === 'APIError' ? 'model_unavailable' : undefined);
}

const authRequired = RequestError.authRequired().code;
const keyNames = ['authentication_failed', 'oauth_org_not_allowed', 'billing_error', 'unauthorized'];
const unavailableNames = [
  ...['rate_limit', 'server_error', 'overloaded', 'rateLimitExceeded', 'serverOverloaded'],
  ...['internalServerError', 'usageLimitExceeded', 'flexUnavailable'],
];

/** `{"codexErrorInfo": {"responseTooManyFailedAttempts": {"httpStatusCode": 503}}}`, and simpler ones. */
function statusIn(data: unknown): number | undefined {
  const info = at(data, ['codexErrorInfo']);
  const inner = typeof info === 'object' && info !== null ? Object.values(info) : [];
  const found = [
    at(data, ['status']),
    at(data, ['statusCode']),
    ...inner.map((each) => at(each, ['httpStatusCode'])),
  ];
  return found.find((value) => typeof value === 'number');
}

function kindInWords(words: string): ModelFault['kind'] | undefined {
  if (keyWords.test(words)) return 'model_key';
  return unavailableWords.test(words) ? 'model_unavailable' : undefined;
}

const keyWords =
  /\b40[13]\b|unauthori[sz]ed|authentication|(?:invalid|incorrect) (?:x-)?api[- ]?key|api key not valid/i;

const unavailableWords = new RegExp(
  [
    ...['\\b(?:408|429|50[0-9]|529)\\b', 'rate limit', 'overloaded', 'ECONNRE', 'fetch failed'],
    'stream .*(?:ended|closed|disconnected)',
    // What Node.js says of a connection that broke off.
    ...['\\bterminated$', 'premature close', 'socket hang up'],
  ].join('|'),
  'i',
);

/** What says more than "Internal error" is often in the data. */
function messageOf({ message, data }: RequestError): string {
  const details = textAt(data, 'details') ?? textAt(data, 'message') ?? textAt({ data }, 'data');
  return details === undefined || message.includes(details) ? message : `${message}: ${details}`;
}

/** What may be an agent's error answer, and nothing of ours. */
export function isAnswer(fault: unknown): fault is RequestError {
  return fault instanceof RequestError;
}
