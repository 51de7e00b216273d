/** The author and committer of a commit. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/** The author of Coxswain's own commits. The address belongs to no account. */
export const coxswain: Author = { name: 'Coxswain', email: 'coxswain@noreply.invalid' };
