/** An account of GitHub; what older versions recorded has no id. */
interface CoAuthor {
  readonly login: string;
  readonly id?: number | undefined;
}

/**
 * The trailers by which GitHub credits accounts with a commit; each account once. Its address begins with the
 * id: without that, GitHub knows only those of accounts that are older than July 2017.
 */
export function coAuthorTrailers(accounts: readonly CoAuthor[]): readonly string[] {
  const byLogin = new Map(accounts.map((account) => [account.login, account]));
  return [...byLogin.values()].map(
    ({ login, id = 0 }) =>
      `Co-authored-by: ${login} <${id > 0 ? `${id}+` : ''}${login}@users.noreply.github.com>`,
  );
}
