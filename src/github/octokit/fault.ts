import { setTimeout } from 'node:timers/promises';
import { inAppSettings } from '../../steering/phrases/phrases.ts';

/** A request to GitHub failed. */
export class GitHubFault extends Error {
  override name = 'GitHubFault';
  /** The request that failed, as `GET /repos/acme/api/pulls/7`. */
  readonly doing: string;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retriable: boolean;
  /** What GitHub said, with its details. */
  readonly reason: string;
  /** The `Date` header of the answer, if there was one. */
  readonly date: string | undefined;

  constructor(
    facts: Pick<GitHubFault, 'doing' | 'status' | 'retriable' | 'reason'> & Partial<GitHubFault>,
    options?: ErrorOptions,
  ) {
    const status = facts.status === 0 ? 'no answer' : String(facts.status);
    super(facts.message ?? `${facts.doing} failed: ${status}, ${facts.reason}`, options);
    this.doing = facts.doing;
    this.status = facts.status;
    this.retriable = facts.retriable;
    this.reason = facts.reason;
    this.date = facts.date;
  }
}

/** The token lacks a permission; the message names it and says where to grant it. */
export class MissingPermission extends GitHubFault {
  override name = 'MissingPermission';
  /** As GitHub names it: `pull_requests=write`, alternatives separated by `;`; empty if it did not say. */
  readonly permission: string;

  /** `remedy`: what it needs instead of a permission. */
  constructor(
    {
      doing,
      permission,
      reason,
      remedy = remedyFor(permission),
    }: Pick<MissingPermission, 'doing' | 'permission' | 'reason'> & { readonly remedy?: string },
    options?: ErrorOptions,
  ) {
    const message = `${doing} ${remedy}`;
    super({ doing, status: 403, retriable: false, reason, message }, options);
    this.permission = permission;
  }
}

function remedyFor(permission: string): string {
  const named = permission === '' ? 'a permission that GitHub does not name' : `the permission ${permission}`;
  return `needs ${named}: grant it ${inAppSettings}, or to a workflow under \`permissions:\` in its file`;
}

/** GitHub's answer; undefined if it refuses with one of these statuses, such as 404 for what is not there. */
export async function unless<T>(asked: Promise<T>, ...statuses: readonly number[]): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitHubFault && statuses.includes(fault.status)) return undefined;
    throw fault;
  }
}

/**
 * GitHub's answer; undefined where it does not let us see what was asked for, which it says with 403 or, to
 * hide more, 404.
 */
export function unlessForbidden<T>(asked: Promise<T>): Promise<T | undefined> {
  return unless(asked, 403, 404);
}

/**
 * Whether GitHub would refuse the same again, such as a comment in a conversation that is locked. A
 * permission may still be granted.
 */
export function isFinalRefusal(fault: unknown): fault is GitHubFault {
  if (!(fault instanceof GitHubFault) || fault instanceof MissingPermission || fault.retriable) return false;
  return refusals.has(fault.status);
}

/** They say forbidden, gone, or not acceptable, now and later. */
const refusals = new Set([403, 404, 410, 422, 451]);

/** GitHub may not find for a while what was only just written. */
const settledAfterMs = 60_000;

/** The waits before asking again for it, in milliseconds. */
const waitsMs = [250, 500, 1000];

/** What was written at a time (ISO 8601); undefined if GitHub no longer has it, and not only not yet. */
export async function unlessGone<T>(
  ask: () => Promise<T>,
  at: string,
  waits: readonly number[] = waitsMs,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 404) throw fault;
    const [wait, ...further] = waits;
    if (wait === undefined || !isYoung(at, fault)) return undefined;
    await setTimeout(wait);
    return unlessGone(ask, at, further);
  }
}

/**
 * What GitHub has refused to make because it "already exists": it may not list yet what was made just now.
 * Throws what may be tried later if it does not appear.
 */
export async function whatExists<T>(
  refusal: GitHubFault,
  ask: () => Promise<T | undefined>,
  waits: readonly number[] = waitsMs,
): Promise<T> {
  if (refusal.status !== 422 || !/already exists/i.test(refusal.reason)) throw refusal;
  const found = await ask();
  if (found !== undefined) return found;
  const [wait, ...further] = waits;
  if (wait === undefined) {
    const { doing, status, reason } = refusal;
    const unlisted = { doing, status, retriable: true, reason: `${reason}, but GitHub does not list it yet` };
    throw new GitHubFault(unlisted, { cause: refusal });
  }
  await setTimeout(wait);
  return whatExists(refusal, ask, further);
}

/** By GitHub's clock, if its answer has a time. */
function isYoung(at: string, { date }: GitHubFault): boolean {
  return date !== undefined && Date.parse(date) - Date.parse(at) < settledAfterMs;
}

/**
 * The time in a `Date` header, ISO 8601; undefined if it is missing, as behind some proxies, or unreadable.
 */
export function timeIn(header: string | undefined): string | undefined {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
