import { type ConfigReading, readConfig } from '../config/read.ts';
import type { Repository } from './repository.ts';
import type { Services } from './services.ts';

/** The current configuration on a branch of the remote. Throws if the branch does not exist. */
export async function readConfigAt(
  repository: Repository,
  branch: string,
  { operator, configPath }: Pick<Services, 'operator' | 'configPath'>,
): Promise<ConfigReading> {
  const mirror = await repository.mirror();
  await mirror.fetch([`+refs/heads/${branch}:refs/heads/${branch}`]);
  const text = await mirror.readFile(`refs/heads/${branch}`, configPath);
  return readConfig(text, { path: configPath, ref: branch }, operator);
}
