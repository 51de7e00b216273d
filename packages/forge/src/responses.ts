/** The responses of routes, and GitHub's errors. */
export interface ApiResponse {
  status: number;
  body?: unknown;
  /** Sent instead of a JSON body. */
  text?: { type: string; content: string };
  headers?: Record<string, string>;
}

/** One entry of the `errors` of a 422. */
export interface FieldError {
  resource: string;
  code: string;
  field?: string;
  message?: string;
  value?: unknown;
}

/** An error response of GitHub; thrown anywhere below a route. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  readonly errors: FieldError[] | string[] | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, more: HttpErrorDetails = {}) {
    super(message);
    this.status = status;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }

  toResponse(): ApiResponse {
    const body = {
      message: this.message,
      ...(this.errors ? { errors: this.errors } : {}),
      documentation_url: 'https://docs.github.com/rest',
      status: String(this.status),
    };
    return { status: this.status, body, headers: this.headers };
  }
}

interface HttpErrorDetails {
  errors?: FieldError[] | string[];
  headers?: Record<string, string>;
}

export function ok(body: unknown, headers: Record<string, string> = {}): ApiResponse {
  return { status: 200, body, headers };
}

export function created(body: unknown): ApiResponse {
  return { status: 201, body };
}

export function noContent(): ApiResponse {
  return { status: 204 };
}

export function notFound(): HttpError {
  return new HttpError(404, 'Not Found');
}

export function badCredentials(): HttpError {
  return new HttpError(401, 'Bad credentials');
}

/** 422 for what does not look as GitHub's description of the API says. */
export function invalidRequest(message: string): HttpError {
  return new HttpError(422, `Invalid request.\n\n${message}`);
}

/** 422 with the message in `errors[0].message`. */
export function validationFailed(resource: string, message: string, field?: string): HttpError {
  const error: FieldError = { resource, code: 'custom', message, ...(field ? { field } : {}) };
  return new HttpError(422, 'Validation Failed', { errors: [error] });
}

/** 422 with a code for one field. */
export function invalidField(resource: string, field: string, code = 'invalid'): HttpError {
  return new HttpError(422, 'Validation Failed', { errors: [{ resource, field, code }] });
}
