import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { signalGroup } from '../../process/process-group.ts';
import { identify, identitySchema, lives, parsed } from './identity.ts';
import { endMarked } from './mark.ts';

const entrySchema = identitySchema.extend({ owner: identitySchema, mark: z.string().min(20) });

/**
 * Writes down a child that leads a process group, so that the next start finds it. Returns how to strike
 * it out.
 */
export function writeDown(pid: number, mark: string, workRoot: string): () => void {
  const directory = childrenIn(workRoot);
  const path = join(directory, `${process.pid}-${pid}.json`);
  mkdirSync(directory, { recursive: true });
  const child = { ...identify(pid), owner: identify(process.pid), mark };
  writeFileSync(path, JSON.stringify(child));
  return () => rmSync(path, { force: true });
}

/**
 * Ends the process groups that an App which was killed left behind, and returns their ids.
 * Only a child whose owner is gone is ended: its group where its start time is still the one written down,
 * and whoever bears its mark. Without `/proc` neither can be known, and nothing is.
 */
export function endLeftovers(workRoot: string): readonly number[] {
  const directory = childrenIn(workRoot);
  mkdirSync(directory, { recursive: true });
  return readdirSync(directory).flatMap((name) => endLeftover(join(directory, name)));
}

function endLeftover(path: string): number[] {
  const child = parsed(readFileSync(path, 'utf8'), entrySchema);
  if (child !== undefined && lives(child.owner)) return [];
  const ended = child !== undefined && lives(child) && signalGroup(child.pid, 'SIGKILL');
  if (child !== undefined) endMarked(child.mark);
  rmSync(path, { force: true });
  return ended ? [child.pid] : [];
}

function childrenIn(workRoot: string): string {
  return join(workRoot, 'children');
}
