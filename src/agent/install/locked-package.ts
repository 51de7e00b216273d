import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Profile } from '../../profiles/profile.ts';

/** What an agent is installed from: a package whose lockfile names everything in it with its hash. */
export interface LockedPackage {
  readonly files: Readonly<Record<string, string>>;
  /** Changes whenever anything that is installed does. */
  readonly digest: string;
  /** Why it cannot be installed on this machine, in part of a sentence; null if it can. */
  readonly problem: string | null;
}

/** Null if there is nothing from which it could be installed. */
export async function lockedPackageOf({ name, launch }: Profile): Promise<LockedPackage | null> {
  if (launch.package === undefined) return null;
  const folder = join(packagesFolder(), name);
  const paths = ['package.json', 'package-lock.json'] as const;
  const [manifest, lock] = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  if (manifest === undefined || lock === undefined) throw new Error(`${folder} has no lockfile`);
  const digest = createHash('sha256').update(manifest).update('\0').update(lock).digest('hex');
  return { files: { [paths[0]]: manifest, [paths[1]]: lock }, digest, problem: problemHere(lock) };
}

/** Two levels above a built file, three above this one. */
const candidates = ['../../agents/', '../../../agents/'];

function packagesFolder(): string {
  const folders = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = folders.find((folder) => existsSync(join(folder, 'claude', 'package-lock.json')));
  if (found !== undefined) return found;
  throw new Error(`the lockfiles of agents are missing: expected them in ${folders.join(' or ')}`);
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dependencies: z.record(z.string(), z.string()).optional(),
      os: z.array(z.string()).optional(),
      cpu: z.array(z.string()).optional(),
    }),
  ),
});

/** Of what npm would refuse, only what is written about the agent itself: it has parts for each platform. */
function problemHere(lock: string): string | null {
  const { packages } = lockSchema.parse(JSON.parse(lock));
  const wanted = Object.keys(packages['']?.dependencies ?? {});
  const fits = wanted.every((name) => {
    const { os, cpu } = packages[`node_modules/${name}`] ?? {};
    return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
  });
  return fits ? null : `its package is not for ${process.platform} on ${process.arch}`;
}
