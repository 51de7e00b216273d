import type { GraphQLError } from 'graphql';
import type { Json } from '../json.ts';
import { HttpError } from '../responses.ts';

export type ErrorType =
  | 'NOT_FOUND'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE'
  | 'MISSING_PAGINATION_BOUNDARIES'
  | 'EXCESSIVE_PAGINATION';

/** One field cannot be resolved, or a mutation is rejected; the rest of the result is not affected. */
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

/** The App lacks the permission. */
export function notAccessible(): ResolverError {
  const message = 'Resource not accessible by integration';
  return new ResolverError('FORBIDDEN', message, { saml_failure: false });
}

/** An error in GitHub's format: `type` only for errors of resolvers, fields in GitHub's order. */
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

/** Whether a resolver threw this on purpose, so that it is not a bug. */
export function isExpected(error: Error): boolean {
  return typeOf(error) !== undefined;
}

function typeOf(error: Error | undefined): ErrorType | undefined {
  if (error instanceof ResolverError) return error.type;
  return error instanceof HttpError ? 'UNPROCESSABLE' : undefined;
}
