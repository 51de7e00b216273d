/** The author and committer of a commit. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/** The author of Coxswain's own commits. The address belongs to no account. */
export const coxswain: Author = { name: 'Coxswain', email: 'coxswain@noreply.invalid' };

/** The environment in which Git names Coxswain as author and committer, at a time that Git can read. */
export function coxswainAt(date: string): Record<string, string> {
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, coxswain.name],
      [`GIT_${role}_EMAIL`, coxswain.email],
      [`GIT_${role}_DATE`, date],
    ]),
  );
}
