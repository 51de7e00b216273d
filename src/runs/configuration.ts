import { type ConfigReading, type Operator, readConfig } from '../config/read.ts';
import type { Repository } from './workshop.ts';

/** Where a repository keeps its configuration; always read from the base branch, never from a run's own. */
export const configPath = '.github/coxswain.yml';

/** The configuration as it is now on a branch of the remote. Throws when the branch is not there. */
export async function readConfigAt(
  repository: Repository,
  branch: string,
  operator: Operator,
): Promise<ConfigReading> {
  const mirror = await repository.mirror();
  await mirror.fetch([`+refs/heads/${branch}:refs/heads/${branch}`]);
  const text = await mirror.readFile(`refs/heads/${branch}`, configPath);
  return readConfig(text, { path: configPath, ref: branch }, operator);
}
