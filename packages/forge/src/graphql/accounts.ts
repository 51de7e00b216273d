import type { Context } from '../context.ts';
import type { Account } from '../model.ts';
import { accountPayload } from '../payloads/accounts.ts';
import { nodeId } from '../payloads/links.ts';

/** The account as an `Actor`; null if it was deleted. */
export function actorNode(context: Context, id: number | null) {
  const account = id === null ? null : context.store.account(id);
  return account === null || account.deleted ? null : accountNode(context, account);
}

/** As an actor, a bot's login has no `[bot]` suffix, unlike in REST and webhooks. */
export function accountNode(context: Context, account: Account) {
  return { ...profile(context, account), login: account.login.replace(/\[bot\]$/, '') };
}

/** The viewer is always a `User`, and a bot's login keeps its `[bot]` suffix here. */
export function viewerNode(context: Context, account: Account) {
  return { ...profile(context, account), __typename: 'User' };
}

function profile(context: Context, account: Account) {
  const { avatar_url, html_url } = accountPayload(context, account);
  return {
    __typename: account.type,
    id: nodeId(account.type, account.id),
    databaseId: account.id,
    login: account.login,
    avatarUrl: avatar_url,
    url: html_url,
    resourcePath: new URL(String(html_url)).pathname,
    createdAt: account.created_at,
    updatedAt: account.created_at,
  };
}
