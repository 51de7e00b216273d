import { AuthorizationResponseError, OperationProcessingError, ResponseBodyError } from 'oauth4webapi';
import { Problem } from '../../doors/problem.ts';

/** Why nobody could be signed in, with what the person is told and can do. */
export class SignInFault extends Error {
  override name = 'SignInFault';
  readonly status: number;
  /** Whether the operator has to change something, and so the log says it too. */
  readonly isOperators: boolean;

  constructor({ status, message, isOperators = false }: Told, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.isOperators = isOperators;
  }
}

interface Told {
  readonly status: number;
  readonly message: string;
  readonly isOperators?: boolean;
}

/** What GitHub calls a failure, in the address that it sends people back to or in its answer to us. */
const toldByError: ReadonlyMap<string, Told> = new Map([
  [
    'access_denied',
    { status: 403, message: 'You did not authorize Coxswain at GitHub, so nobody is signed in.' },
  ],
  [
    'bad_verification_code',
    { status: 400, message: 'GitHub no longer accepts this sign-in: it was used before, or took too long.' },
  ],
  [
    'unverified_user_email',
    { status: 403, message: 'GitHub wants you to verify your primary email address first.' },
  ],
  [
    'application_suspended',
    {
      status: 503,
      isOperators: true,
      message: 'GitHub has suspended this GitHub App: its owner can find out why.',
    },
  ],
  [
    'redirect_uri_mismatch',
    {
      status: 500,
      isOperators: true,
      message:
        'This GitHub App does not know the address of this page: its owner sets the callback URL in the ' +
        "App's settings to this page's address with /sign-in/callback after it.",
    },
  ],
  [
    'incorrect_client_credentials',
    {
      status: 500,
      isOperators: true,
      message:
        'GitHub does not accept the client secret of this GitHub App: its operator checks ' +
        'GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET.',
    },
  ],
]);

/** The answer is not of a sign-in that this browser began here, or took too long. */
export const notBegunHere: Told = {
  status: 403,
  message: 'This sign-in was not begun in this browser, or was begun more than ten minutes ago.',
};

/** GitHub's answer, or what claims to be one. */
export const notUnderstood: Told = {
  status: 502,
  message: 'GitHub answered this sign-in in a way that Coxswain does not understand.',
};

const unreachable: Told = { status: 503, message: 'GitHub cannot be reached to sign you in right now.' };

/**
 * What a fault of the OAuth flow comes to. GitHub answers errors with 200, so the library finds no token
 * and hands on what was there instead. Neither that nor the library's fault is kept: both can hold tokens.
 */
export function signInFaultFrom(fault: unknown): SignInFault {
  if (fault instanceof SignInFault) return fault;
  if (fault instanceof Problem) return new SignInFault({ status: fault.status, message: fault.message });
  if (fault instanceof AuthorizationResponseError || fault instanceof ResponseBodyError)
    return new SignInFault(toldOf(fault.error));
  if (fault instanceof OperationProcessingError && !isDown(fault.cause))
    return new SignInFault(toldOf(errorIn(fault.cause)));
  return new SignInFault(unreachable);
}

function toldOf(error: string | undefined): Told {
  return toldByError.get(error ?? '') ?? notUnderstood;
}

/** The library hands on an answer that is none of a token server, such as one of GitHub in an outage. */
function isDown(cause: unknown): boolean {
  return cause instanceof Response && cause.status !== 200;
}

/** The name of the error in the body that the library did not accept. */
function errorIn(cause: unknown): string | undefined {
  const body = cause instanceof Object && 'body' in cause ? cause.body : undefined;
  const error = body instanceof Object && 'error' in body ? body.error : undefined;
  return typeof error === 'string' ? error : undefined;
}
