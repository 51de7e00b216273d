import type { RefUpdate } from '../git/remote.ts';
import type { PushedCode } from './attachments.ts';

/** The full name of the ref. */
export function codeRef(code: PushedCode): string {
  return 'ref' in code ? code.ref : `refs/heads/${code.branch}`;
}

/** The fast-forward of the branch, or the creation of the ref that keeps a commit. */
export function codeUpdate(code: PushedCode): RefUpdate {
  return { ref: codeRef(code), from: 'ref' in code ? null : code.from, to: code.to };
}
