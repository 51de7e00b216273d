import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentFixture, put, temporaryFolder } from './agent-fixture.ts';

/** A commit on top of main; null removes. */
export function commitOn(
  on: AgentFixture,
  files: Readonly<Record<string, string | null>>,
  arrange: (dir: string) => void = () => undefined,
): string {
  const dir = join(temporaryFolder(), 'copy');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.org', ...args], {
      cwd: dir,
      encoding: 'utf8',
    }).trim();
  mkdirSync(dirname(dir), { recursive: true });
  execFileSync('git', ['clone', '-q', '-b', 'main', on.mirror.dir, dir]);
  for (const [path, content] of Object.entries(files)) {
    if (content === null) rmSync(join(dir, path));
    else put(dir, { [path]: content });
  }
  arrange(dir);
  git('add', '-A', '-f');
  git('commit', '-q', '--allow-empty', '-m', 'Change');
  git('push', '-q', 'origin', '+HEAD:refs/heads/topic');
  return git('rev-parse', 'HEAD');
}
