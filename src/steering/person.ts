/** GitHub's repository roles, weakest first. */
export const roles = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof roles)[number];

/** Who spoke, with the role GitHub gave when it was asked, just before the event was made. */
export interface Person {
  readonly login: string;
  readonly role: Role;
  readonly bot: boolean;
}

/** Whether a role that is held includes the one that is needed. */
export function covers(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}
