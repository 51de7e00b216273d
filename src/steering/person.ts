/** GitHub's repository roles, weakest first. */
export const roles = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof roles)[number];

/** The author of a command, with the role GitHub reported when the event was created. */
export interface Person {
  readonly login: string;
  /** Logins are reused, so people are told apart by GitHub's id; 0 if an older version did not record it. */
  readonly id: number;
  readonly role: Role;
  readonly bot: boolean;
}

/** Whether the role held includes the role needed. */
export function covers(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}
