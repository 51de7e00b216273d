import { anyCommitFrom, commitId } from './commit-object.ts';
import { git } from './git.ts';
import { inside, readObjects } from './objects.ts';

/** A commit that a server has made and signed, as it describes it. */
export interface DescribedCommit {
  readonly sha: string;
  /** The commit without its signature, which is what was signed. */
  readonly payload: string;
  readonly signature: string;
}

/**
 * Makes the same commit here, byte for byte, without fetching it. False if that is not what the server has,
 * because it has another id.
 */
export async function writeSigned(
  gitDir: string,
  { sha, payload, signature }: DescribedCommit,
): Promise<boolean> {
  const tree = anyCommitFrom(payload)?.tree;
  const object = formsOf(payload, signature).find(
    (form) => tree !== undefined && commitId(form, tree) === sha,
  );
  if (object === undefined) return false;
  await git(['hash-object', '-t', 'commit', '-w', '--stdin'], { ...inside(gitDir), input: object });
  return true;
}

/**
 * Git keeps a signature in a header, of which every line but the first begins with a space. GitHub also keeps
 * the line feed at its end, which Git leaves out.
 */
function formsOf(payload: string, signature: string): readonly string[] {
  const end = payload.indexOf('\n\n');
  return [signature, signature.trimEnd()].map(
    (text) => `${payload.slice(0, end)}\ngpgsig ${text.replaceAll('\n', '\n ')}${payload.slice(end)}`,
  );
}

/** Whether a commit in the repository has a signature, whoever made it. */
export async function isSigned(gitDir: string, commit: string): Promise<boolean> {
  const [object] = await readObjects(gitDir, [commit]);
  const [headers = ''] = object?.content.split('\n\n', 1) ?? [];
  return /^gpgsig(-sha256)? /m.test(headers);
}
