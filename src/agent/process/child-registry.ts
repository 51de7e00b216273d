import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { signalGroup } from '../../process/process-group.ts';
import { identify, identitySchema, isAlive, parsed } from './identity.ts';
import { killMarked } from './mark.ts';

const entrySchema = identitySchema.extend({ owner: identitySchema, mark: z.string().min(20) });

/**
 * Registers the leader of a process group, so that the next start can find it. Returns how to unregister it.
 */
export function registerChild(pid: number, mark: string, workRoot: string): () => void {
  const directory = registryIn(workRoot);
  const path = join(directory, `${process.pid}-${pid}.json`);
  mkdirSync(directory, { recursive: true });
  const child = { ...identify(pid), owner: identify(process.pid), mark };
  writeFileSync(path, JSON.stringify(child));
  return () => rmSync(path, { force: true });
}

/**
 * Kills the process groups that an App left behind when it was killed itself, and returns their ids. Only
 * children whose owner has ended are killed: the group if the leader still has the registered start time, and
 * every process that carries the child's mark. Without `/proc` neither is known, and nothing is killed.
 */
export function killOrphans(workRoot: string): readonly number[] {
  const directory = registryIn(workRoot);
  mkdirSync(directory, { recursive: true });
  return readdirSync(directory).flatMap((name) => killOrphan(join(directory, name)));
}

function killOrphan(path: string): number[] {
  const child = parsed(readFileSync(path, 'utf8'), entrySchema);
  if (child !== undefined && isAlive(child.owner)) return [];
  const ended = child !== undefined && isAlive(child) && signalGroup(child.pid, 'SIGKILL');
  if (child !== undefined) killMarked(child.mark);
  rmSync(path, { force: true });
  return ended ? [child.pid] : [];
}

function registryIn(workRoot: string): string {
  return join(workRoot, 'children');
}
