import { createHash } from 'node:crypto';
import type { Sealed } from '../seal/seals.ts';
import type { RefNamespace } from './refs.ts';

/** Everything about a ledger commit that its seal proves. */
export interface SealedCommit {
  readonly repositoryId: number;
  readonly number: number;
  readonly namespace: RefNamespace;
  readonly seq: number;
  readonly event: string;
  readonly parent: string | null;
  readonly tree: string;
  /** `state.json` */
  readonly state: string;
  /** `events.jsonl` */
  readonly log: string;
  /** The message above the seal. */
  readonly above: string;
}

/**
 * The tree covers all files. Git names it by SHA-1, which can be made to collide, so the two files that
 * decide anything are covered by SHA-256 as well.
 */
export function sealedCommit(commit: SealedCommit): Sealed {
  const { repositoryId, number, namespace, seq, event, parent, tree, state, log, above } = commit;
  const numbers = [repositoryId, number, namespace, seq].map(String);
  const parts = [...numbers, event, parent ?? '', tree, sha256(state), sha256(log), above];
  return { label: 'ledger', parts, ended: namespace === 'closed' };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
