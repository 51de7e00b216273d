import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathOf, signInCallback } from '../../page/load/page-routes.ts';
import type { RunPlace } from '../../runs/run/services.ts';
import type { AppSettings } from './app-settings.ts';
import { expected } from './values.ts';

/**
 * Writes the page's address with its key, which lets anyone act as the token's owner, to a file that only this
 * user can read; logs are read by many. Returns the file's path.
 */
export async function savePageAddress(data: string, address: string): Promise<string> {
  const path = join(data, 'page-address');
  // A file that exists would keep its permissions.
  await rm(path, { force: true });
  await writeFile(path, `${address}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

/** A run's own page, without the key, where people can open it. */
export function pageUrlOf(
  { owner, repo, number }: RunPlace,
  { pageUrl }: Pick<AppSettings, 'pageUrl'>,
): string | undefined {
  return pageUrl === null ? undefined : `${pageUrl}${pathOf({ page: 'pull', owner, repo, number })}`;
}

/** Where GitHub sends people back who sign in to the page at this address: one of the App's callback URLs. */
export function callbackUrlOf(page: string): string {
  return `${page}${signInCallback}`;
}

/** The setting `COXSWAIN_PAGE_URL`. */
export function pageUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw expected(
    'COXSWAIN_PAGE_URL',
    value,
    'an http or https address without a path, such as https://coxswain.example.org',
  );
}
