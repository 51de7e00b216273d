import type { GraphQLError } from 'graphql';
import type { Json } from '../json.ts';
import { HttpError } from '../responses.ts';

export type ErrorType =
  | 'NOT_FOUND'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE'
  | 'MISSING_PAGINATION_BOUNDARIES'
  | 'EXCESSIVE_PAGINATION';

/** One field cannot be answered, or a mutation is refused; the rest of the answer is not touched. */
export class ResolverError extends Error {
  override name = 'ResolverError';
  readonly type: ErrorType;
  readonly extensions: Json | undefined;

  constructor(type: ErrorType, message: string, extensions?: Json) {
    super(message);
    this.type = type;
    this.extensions = extensions;
  }
}

export function nodeNotFound(id: string): ResolverError {
  return new ResolverError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

/** What an App lacks the permission for. */
export function notAccessible(): ResolverError {
  const message = 'Resource not accessible by integration';
  return new ResolverError('FORBIDDEN', message, { saml_failure: false });
}

/** An error as GitHub writes it: `type` only where a resolver refused, fields in GitHub's order. */
export function errorPayload({ message, path, locations, extensions, originalError }: GraphQLError): Json {
  const type = typeOf(originalError);
  return {
    ...(type ? { type } : {}),
    ...(path ? { path } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    ...(locations ? { locations } : {}),
    message,
  };
}

/** Whether somebody was turned down, and nothing broke. */
export function isExpected(error: Error): boolean {
  return typeOf(error) !== undefined;
}

function typeOf(error: Error | undefined): ErrorType | undefined {
  if (error instanceof ResolverError) return error.type;
  return error instanceof HttpError ? 'UNPROCESSABLE' : undefined;
}
