import { GitHubFault } from '../github/octokit/fault.ts';
import { messageOf } from '../runs/faults.ts';
import { statusOf } from './load/github-reader.ts';

/** A request that is not carried out: the HTTP status, and a sentence for whoever asked. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** GitHub's no in GitHub's words; a fault of GitHub or of the way there is a bad gateway. */
export function refusalOf(fault: unknown, what: string): Refusal {
  if (fault instanceof Refusal) return fault;
  const status = statusOf(fault);
  const said = fault instanceof GitHubFault ? fault.said : messageOf(fault);
  const passed = [403, 404, 410, 422].includes(status) ? status : 502;
  const ending = status === 0 ? `: ${said}` : `: GitHub answered ${status}, ${said}`;
  return new Refusal(passed, `${what}${ending}`, { cause: fault });
}
