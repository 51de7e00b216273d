import { RequestError } from '@octokit/request-error';
import type { Octokit } from '@octokit/rest';

/** GraphQL answers 200 even for errors; these are the ones that the same question may not meet again. */

/** An error in an answer; those of queries that the schema does not allow have no type. */
export interface GraphqlError {
  readonly message?: string;
  readonly type?: string;
}

/** What is refused for good. GitHub lists no types, so these are those it is known to answer with. */
const permanentTypes = new Set([
  'EXCESSIVE_PAGINATION',
  'FORBIDDEN',
  'INSUFFICIENT_SCOPES',
  'MAX_NODE_LIMIT_EXCEEDED',
  'MISSING_PAGINATION_BOUNDARIES',
  'NOT_FOUND',
  'SAML_FAILURE',
  'STALE_DATA',
  'UNPROCESSABLE',
]);

/** Whether GitHub only failed to answer, as after a timeout of its own, or was asked too often. */
export function isPassing(answer: unknown): boolean {
  return errorsIn(answer).some(({ type, message = '' }) => {
    if (type !== undefined) return !permanentTypes.has(type);
    // A question that GitHub does not understand, such as one about a field it does not have, has no data.
    return hasData(answer) || /something went wrong|tim(?:ed? ?out)/i.test(message);
  });
}

/** Turns an answer that only says that GitHub failed into the server error that it is. */
export function refuseFailure(response: Answer, request: RequestError['request']): void {
  const isLimit = errorsIn(response.data).some(({ type }) => type === 'RATE_LIMITED');
  if (isLimit || !isPassing(response.data)) return;
  const reason = errorsIn(response.data)
    .map(({ message }) => message)
    .join('; ');
  throw new RequestError(reason, 502, { request, response });
}

type Answer = Awaited<ReturnType<Octokit['request']>>;

function errorsIn(answer: unknown): readonly GraphqlError[] {
  if (typeof answer !== 'object' || answer === null || !('errors' in answer)) return [];
  // GitHub's documented form; anything else is no error of GraphQL.
  return Array.isArray(answer.errors) ? (answer.errors as readonly GraphqlError[]) : [];
}

function hasData(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'data' in answer;
}
