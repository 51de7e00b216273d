import { basicCredentials } from './environment.ts';

/** Takes out of Git's words what must not reach a log: the token, and passwords in URLs. */
export function redacted(text: string, token: string | undefined): string {
  const known = token ? [token, basicCredentials(token)] : [];
  return known
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
    .replace(/(\w+:\/\/)[^\s/@]+@/g, '$1***@')
    .replace(/\b(gh[a-z]_|github_pat_)\w{10,}/g, '$1***');
}
