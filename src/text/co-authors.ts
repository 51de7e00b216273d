/** The trailers by which GitHub credits accounts with a commit; each account once. */
export function coAuthorTrailers(logins: readonly string[]): readonly string[] {
  return [...new Set(logins)].map((login) => `Co-authored-by: ${login} <${login}@users.noreply.github.com>`);
}
