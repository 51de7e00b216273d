/** What people call a commit: as many digits as Git and GitHub show. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}
