import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import type { Run } from '../run.ts';

/**
 * Seals a ledger with the current key if another one sealed it, so that an old key can be removed. Does
 * nothing to a ledger that is sealed with it already.
 */
export async function sealAgain(
  run: Run,
  { key: sealedWith, state }: Pick<LedgerSnapshot, 'key' | 'state'>,
  { key, now }: { readonly key: string; readonly now: Date },
): Promise<void> {
  if (sealedWith === key) return;
  const id = `sealed:${key}@${state.seq}`;
  await run.record({ type: 'sealed', id, at: now.toISOString(), key });
}
