/** GitHub could not be asked, or did not do what was asked. */
export class GitHubFault extends Error {
  override name = 'GitHubFault';
  /** The request, as `GET /repos/acme/api/pulls/7`. */
  readonly doing: string;
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retriable: boolean;
  /** What GitHub said was wrong, word for word, with the details it gave. */
  readonly said: string;
  /** The `Date` header of the answer, if there was one. */
  readonly date: string | undefined;

  constructor(facts: FaultFacts, options?: ErrorOptions) {
    const status = facts.status === 0 ? 'no answer' : String(facts.status);
    super(facts.message ?? `${facts.doing} failed: ${status}, ${facts.said}`, options);
    this.doing = facts.doing;
    this.status = facts.status;
    this.retriable = facts.retriable;
    this.said = facts.said;
    this.date = facts.date;
  }
}

export interface FaultFacts {
  readonly doing: string;
  readonly status: number;
  readonly retriable: boolean;
  readonly said: string;
  readonly message?: string;
  readonly date?: string | undefined;
}

/** The token may not do this; the message names the permission and where it is granted. */
export class MissingPermission extends GitHubFault {
  override name = 'MissingPermission';
  /** As GitHub names it: `pull_requests=write`, several ways separated by `;`; empty when it did not say. */
  readonly permission: string;

  constructor({ doing, permission, said }: MissingFacts, options?: ErrorOptions) {
    const named = permission === '' ? 'a permission GitHub does not name' : `the permission ${permission}`;
    const message =
      `${doing} needs ${named}: grant it to the App under "Permissions & events" in its settings ` +
      '(and accept it for the installation), or to a workflow under `permissions:` in its file';
    super({ doing, status: 403, retriable: false, said, message }, options);
    this.permission = permission;
  }
}

export interface MissingFacts {
  readonly doing: string;
  readonly permission: string;
  readonly said: string;
}
