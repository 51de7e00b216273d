/** GitHub's limit for the body of a pull request or a comment, in code points: an emoji counts as one. */
export const maxBody = 65_536;

/** Characters as GitHub counts them. */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
