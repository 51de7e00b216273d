import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Records which Git commands are run between `start` and `stop`. */
export interface Recorder {
  /** The search path to run programs with. */
  readonly path: string;
  start(): Promise<void>;
  /** The arguments of every command since `start`, in order. */
  stop(): Promise<readonly string[]>;
}

/** The wrapper script exists only while recording, because it costs time. */
export async function recordCommands(folder: string): Promise<Recorder> {
  const shim = join(folder, 'git');
  const log = join(folder, 'commands');
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v git']);
  await mkdir(folder, { recursive: true });
  return {
    path: `${folder}:${process.env['PATH']}`,
    async start() {
      await writeFile(log, '');
      await writeFile(shim, recordingShim(stdout.trim(), log));
      await chmod(shim, 0o755);
    },
    async stop() {
      await rm(shim);
      return (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
    },
  };
}

function recordingShim(git: string, log: string): string {
  return `#!/bin/sh
printf '%s ' "$@" | tr '\\n' ' ' >> '${log}'
echo >> '${log}'
exec '${git}' "$@"
`;
}

/** `4 push, 4 fast-import, …` */
export function countCommands(commands: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const command of commands) {
    const name = /^(?:-c \S+ )*(worktree \S+|\S+)/.exec(command)?.[1] ?? command;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}
