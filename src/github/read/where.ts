/** Which repository, by its names of now. */
export interface Where {
  readonly owner: string;
  readonly name: string;
}

/** The same as Octokit's parameters. */
export function at({ owner, name }: Where): { owner: string; repo: string } {
  return { owner, repo: name };
}
