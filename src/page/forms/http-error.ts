import { Unsayable } from '../../doors/speech/composed.ts';
import { TooLong } from '../../doors/speech/post.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { messageOf } from '../../runs/repository/faults.ts';
import { statusOf } from '../load/github-reader.ts';

/** A rejected request: the HTTP status, and a sentence for the person who sent it. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Passes GitHub's refusal on with its message; if GitHub fails or cannot be reached, the status is 502. */
export function httpErrorFrom(fault: unknown, what: string): HttpError {
  if (fault instanceof HttpError) return fault;
  if (fault instanceof Unsayable) return new HttpError(422, fault.message, { cause: fault });
  if (fault instanceof TooLong) return new HttpError(413, fault.message, { cause: fault });
  const status = statusOf(fault);
  const reason = fault instanceof GitHubFault ? fault.reason : messageOf(fault);
  const passedOn = [403, 404, 410, 422].includes(status) ? status : 502;
  const ending = status === 0 ? `: ${reason}` : `: GitHub answered ${status}, ${reason}`;
  return new HttpError(passedOn, `${what}${ending}`, { cause: fault });
}
