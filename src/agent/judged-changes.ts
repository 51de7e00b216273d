import { codeFiles, gatesOnDiff, remoteCode } from '../gates/index.ts';
import { addedLines } from '../git/added-lines.ts';
import { changesBetween } from '../git/diff.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Changes, GateHit } from '../steering/attempt-result.ts';

/** What `head` changed since it branched off `base`, with what in it needs a human. */
export async function judgedChanges(
  { dir }: Pick<Mirror, 'dir'>,
  base: string,
  head: string,
): Promise<{ readonly changes: Changes; readonly gates: readonly GateHit[] }> {
  const changes = await changesBetween(dir, base, head);
  const added = await addedLines(dir, `${base}...${head}`, codeFiles(changes));
  return { changes, gates: [...gatesOnDiff(changes), ...remoteCode(added)] };
}
