import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineFaultIn } from '../runs/run/machine-faults.ts';

const heldMs = 10_000;
/** Even a full disk may have room for a few bytes. */
const probe = Buffer.alloc(65_536, 1);

/** Looks whether a folder can be written to, at most every ten seconds: why not, or undefined if it can. */
export function writability(folder: string): () => string | undefined {
  let looked: { readonly at: number; readonly why: string | undefined } | undefined;
  return () => {
    if (looked === undefined || performance.now() - looked.at > heldMs)
      looked = { at: performance.now(), why: problemWith(folder) };
    return looked.why;
  };
}

function problemWith(folder: string): string | undefined {
  const path = join(folder, `.writable-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(path, probe, { mode: 0o600 });
    } finally {
      rmSync(path, { force: true });
    }
    return undefined;
  } catch (fault) {
    return machineFaultIn(fault) ?? String(fault);
  }
}
