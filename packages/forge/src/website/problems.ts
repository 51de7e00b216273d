import { type FieldError, HttpError } from '../responses.ts';

/** GitHub's message with its details, as a person reads it. */
export function messageOf({ message, errors = [] }: HttpError): string {
  const details = errors.map((error: FieldError | string) =>
    typeof error === 'string'
      ? error
      : (error.message ?? `${error.resource} ${error.field ?? ''}: ${error.code.replaceAll('_', ' ')}`),
  );
  return [message.trim(), ...details].join('. ').replaceAll('..', '.');
}

/** What GraphQL answers with 200 even if it refuses. */
export function requireDone(result: unknown): void {
  // A response of GraphQL: `errors` has messages, if there is one.
  const { errors } = result as { errors?: { message: string }[] };
  if (errors?.[0]) throw new HttpError(422, errors[0].message);
}
