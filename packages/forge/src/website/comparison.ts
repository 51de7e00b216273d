import { zeroSha } from '../git/plumbing.ts';
import { notFound } from '../responses.ts';
import { commitCalled } from './refs.ts';
import type { RepositoryVisit } from './visit.ts';

/** Two commits, and where the second one left the first. */
interface Comparison {
  baseSha: string;
  headSha: string;
  forkSha: string;
}

/** What `base...head` means. `base` is undefined for a branch that was created: there is nothing before it. */
export async function comparisonIn(
  visit: RepositoryVisit,
  range: string,
): Promise<Comparison | { created: string }> {
  const [base = '', head = ''] = range.split('...').map((name) => name.replace(/^[\w.-]+:/, ''));
  const headSha = await commitCalled(visit, head);
  if (headSha && zeroSha.startsWith(base) && base.length >= 7) return { created: headSha };
  const baseSha = await commitCalled(visit, base);
  if (!baseSha || !headSha) throw notFound();
  const forkSha = await visit.git.mergeBase(baseSha, headSha);
  return { baseSha, headSha, forkSha: forkSha ?? baseSha };
}
