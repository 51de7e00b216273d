/** GitHub's repository roles, weakest first. */
export const roles = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof roles)[number];

/** An account on GitHub. Logins are reused, so `id` is who it is; 0 if it is unknown or was not recorded. */
export interface Account {
  readonly login: string;
  readonly id: number;
}

/** Stands for whoever did something where GitHub does not tell; somebody with this login is not meant. */
export const somebody = 'somebody';

/** The author of a command, with the role GitHub reported when the event was created. */
export interface Person extends Account {
  readonly role: Role;
  readonly bot: boolean;
  /** Teams (`acme/core`) of those that were asked about in which they are; absent if none was asked about. */
  readonly teams?: readonly string[];
  /** Teams that GitHub does not name to us, because there are none or for want of a permission. */
  readonly unread_teams?: readonly string[];
}

/** The people who worked on a branch, as far as GitHub names them. */
export interface Contributors {
  readonly people: readonly Account[];
  /** False if there may be others. */
  readonly complete: boolean;
}

/** Whether two accounts are the same: by id, or by login if one of the ids is unknown. */
export function isSame(one: Account, other: Account): boolean {
  if (one.id !== 0 && other.id !== 0) return one.id === other.id;
  return one.login.toLowerCase() === other.login.toLowerCase();
}

/** Whether the role held includes the role needed. */
export function covers(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}

/** Who was answered when, ISO 8601. */
export interface Answered {
  readonly login: string;
  /** Absent if an older version recorded it. */
  readonly id?: number;
  readonly at: string;
}
