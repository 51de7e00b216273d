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

/** What of ours people can say something through, in place of GitHub's own website. */
export const doors = ['page', 'api'] as const;
export type Door = (typeof doors)[number];

/**
 * Where a command came from; approvals are read there again just before finishing. `door` is proved by its
 * seal; absent in ledgers of older versions.
 */
export type Source = Readonly<
  | { from: 'comment'; comment_id: number; text_sha256: string; written_at: string; door?: Door }
  | { from: 'review'; review_id: number; commit_id: string; text_sha256: string }
  | { from: 'click'; check_run_id: number; head_sha: string; interaction: string }
  | { from: 'dispatch'; workflow_run_id: number }
>;

export interface QueuedSteer extends Steer {
  /** The id of the event that queued it, by which it is dropped or told. */
  readonly id: string;
  readonly at: string;
}

/** A steer in one line of at most 150 characters, of whole words where there are any. */
export function promptSummary(prompt: string): string {
  const line = [...prompt.replace(/\s+/g, ' ').trim()];
  if (line.length <= 150) return line.join('');
  const cut = line.slice(0, 149);
  const end = line[149] === ' ' ? 149 : cut.lastIndexOf(' ');
  return `${cut.slice(0, end > 0 ? end : 149).join('')}…`;
}

export interface Steer {
  readonly prompt: string;
  readonly author: string;
  /** GitHub's id of the author; absent if an older version recorded the steer. */
  readonly author_id?: number;
  readonly source: Source;
  /** The agent that it hands the work to. */
  readonly with?: string;
  /** How the agent was told in the middle of its work; absent if it began an iteration. */
  readonly told?: 'injected' | 'restarted_turn';
}
