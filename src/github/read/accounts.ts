import type { Account } from '../events/github-event.ts';

/** Accounts that were deleted are null; GitHub shows them as this one. */
const ghost: Account = { login: 'ghost', bot: false };

export function accountOf(
  data: { readonly login: string; readonly type?: string | undefined } | null | undefined,
): Account {
  if (data === null || data === undefined) return ghost;
  return { login: data.login, bot: data.type === 'Bot' || data.login.endsWith('[bot]') };
}
