/** The one question that a server of this benchmark answers. */
export type Cpu = 'cpu';

/** What this process has used of the processors so far, in milliseconds. */
export async function cpuMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
