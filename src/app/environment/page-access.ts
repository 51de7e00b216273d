import { isIP } from 'node:net';
import { parseSealKeys, SealKeyError, type SealKeys, secretsOf } from '../../seal/seal-keys.ts';
import { pageUrl } from './page-address.ts';
import { EnvironmentError, given, host, readAll, required, textOf, webUrl } from './values.ts';
import type { Variables } from './variables.ts';

/** As whom people speak on the page. There is no page if both are null. */
export interface PageAccess {
  /** Each signs in, and speaks as themselves. */
  readonly signIn: SignIn | null;
  /** All speak as the owner of this token of GitHub, which is for a person alone on their machine. */
  readonly pageToken: string | null;
}

/** How people sign in to the page with GitHub, through the App. */
export interface SignIn {
  readonly clientId: string;
  readonly clientSecret: string;
  /** They encrypt the sessions, which browsers keep. */
  readonly keys: SealKeys;
  /** Where people authorize the App: `https://github.com`, or an Enterprise Server. */
  readonly web: string;
}

/** Reads as whom people speak on the page. Throws `EnvironmentError`. */
export function pageAccess(variables: Variables): PageAccess {
  return readAll({ signIn: () => signIn(variables), pageToken: () => pageToken(variables) });
}

/** What must not appear in any text. */
export function secretsOfAccess({ signIn, pageToken }: PageAccess): readonly string[] {
  if (signIn !== null) return [signIn.clientSecret, ...secretsOf(signIn.keys)];
  return pageToken === null ? [] : [pageToken];
}

const ofSignIn = ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET', 'COXSWAIN_SESSION_KEY'];

function signIn(variables: Variables): SignIn | null {
  const known = setOfSignIn(variables);
  if (known === undefined) return null;
  const needed = (name: string, how: string) =>
    required(
      variables,
      name,
      `${known} is, and people sign in to the page only with all four settings for it; ${how}`,
    );
  const { page: _, ...read } = readAll({
    clientId: () => needed('GITHUB_CLIENT_ID', "copy it from your App's settings page"),
    clientSecret: () => needed('GITHUB_CLIENT_SECRET', "generate one on your App's settings page"),
    keys: () => sessionKeys(needed('COXSWAIN_SESSION_KEY', 'run `coxswain key --session` to make one')),
    page: () => requireSafe(pageUrl(needed('COXSWAIN_PAGE_URL', whereTo))),
    web: () => webUrl(variables),
  });
  return read;
}

const whereTo =
  'it is where people open the page, and where GitHub sends them back, ' +
  'as in COXSWAIN_PAGE_URL=https://coxswain.example.org';

function setOfSignIn(variables: Variables): string | undefined {
  return ofSignIn.find((name) => textOf(variables, name) !== undefined);
}

/** The keys of sessions. These end within hours, so that no key is kept for old ones. */
function sessionKeys(text: string): SealKeys {
  const keys = readKeys('COXSWAIN_SESSION_KEY', text);
  const retired = keys.known.find(({ use }) => use === 'retired');
  if (retired === undefined) return keys;
  throw new EnvironmentError(
    `COXSWAIN_SESSION_KEY has -${retired.id}: expected a key without the mark, which is only for the ledger; ` +
      'leave out a key with which no session is to be read any more',
  );
}

/** The keys that a setting has. Throws `EnvironmentError`, which repeats none of them. */
export function readKeys(name: string, text: string): SealKeys {
  try {
    return parseSealKeys(text);
  } catch (fault) {
    if (fault instanceof SealKeyError) throw new EnvironmentError(`${name}: ${fault.message}`);
    throw fault;
  }
}

/** Whether browsers keep our cookies for this address: nobody on the way there can listen. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopback(hostname);
}

function requireSafe(url: string): void {
  if (isSafe(new URL(url))) return;
  throw new EnvironmentError(
    `COXSWAIN_PAGE_URL is ${JSON.stringify(url)}: expected https where people sign in, because over plain ` +
      'HTTP anyone on the way could take their sessions; put TLS in front of the App',
  );
}

function pageToken(variables: Variables): string | null {
  const token = textOf(variables, 'COXSWAIN_PAGE_TOKEN');
  if (token === undefined) return null;
  const other = setOfSignIn(variables);
  if (other !== undefined)
    throw new EnvironmentError(
      `COXSWAIN_PAGE_TOKEN is set, and ${other} too: expected one of them, because people speak on the page ` +
        'either as the owner of one token or, once they have signed in, as themselves',
    );
  const beyond = beyondThisMachine(variables);
  if (beyond.length === 0) return token;
  throw new EnvironmentError(
    `COXSWAIN_PAGE_TOKEN is set, but ${beyond.join(' and ')}: with that token, everyone who reaches the page ` +
      'speaks as its owner, so it is only for a page that no other machine reaches, with HOST=127.0.0.1. ' +
      `To have people sign in, set ${ofSignIn.join(', ')} and COXSWAIN_PAGE_URL instead (docs/app.md)`,
  );
}

/** What lets people at other machines reach the page, as settings with their values. */
function beyondThisMachine(variables: Variables): readonly string[] {
  const listens = given(variables, 'HOST', host) ?? '127.0.0.1';
  const opened = given(variables, 'COXSWAIN_PAGE_URL', pageUrl);
  return [
    ...(isLoopback(listens) ? [] : [`HOST is ${listens}`]),
    ...(opened === undefined || isLoopback(new URL(opened).hostname)
      ? []
      : [`COXSWAIN_PAGE_URL is ${opened}`]),
  ];
}

/** Whether a host, as `HOST` or an address has it, is this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost');
}
