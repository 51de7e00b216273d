import { beginningOf, visible } from './characters.ts';

/**
 * One line for a commit message, where GitHub would act on what it says: it mentions nobody, refers to
 * nothing, closes nothing and contains no link. Nothing invisible is added: terminals show commits too.
 */
export function inertLine(text: string, max: number): string {
  const [first = ''] = visible(text).trim().split('\n', 1);
  let line = first.replace(/\p{Cf}/gu, '');
  line = beginningOf(line, max);
  let before: string;
  do {
    before = line;
    // What remains may act again: `@@ada`, or `#` in front of what was a link.
    line = acting.reduce((rest, [pattern, harmless]) => rest.replace(pattern, harmless), line);
  } while (line !== before);
  return line.trim();
}

const acting: readonly (readonly [RegExp, string])[] = [
  [/[a-z][a-z\d+.-]*:\/\/+/gi, ''],
  [/www\./gi, ''],
  [/(?<=[\w.+-])@(?=\w)/g, ' at '],
  [/@(?=\w)/g, ''],
  [/#(?=\d)/g, ''],
  [/\bGH-(?=\d)/gi, 'GH '],
];

/**
 * Gives the trailers by which GitHub credits accounts with a commit; each account once. Its address begins
 * with the id: without that, GitHub knows only those of accounts that are older than July 2017. What older
 * versions recorded has none.
 */
export function coAuthorTrailers(
  accounts: readonly { readonly login: string; readonly id?: number | undefined }[],
): readonly string[] {
  const byLogin = new Map(accounts.map((account) => [account.login, account]));
  return [...byLogin.values()].map(
    ({ login, id = 0 }) =>
      `Co-authored-by: ${login} <${id > 0 ? `${id}+` : ''}${login}@users.noreply.github.com>`,
  );
}
