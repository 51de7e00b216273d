import { runProcessGroup } from '../../process/process-group.ts';
import { type Environment, searchPath } from './environment.ts';

interface ToolOptions {
  readonly timeoutMs: number;
  /** Besides the usual variables. */
  readonly env?: Environment;
}

/** Runs a program of the machine itself. `said` is its output, or why it could not be started. */
export async function runTool(argv: readonly string[], { timeoutMs, env }: ToolOptions) {
  const output: Buffer[] = [];
  const keep = (chunk: Buffer) => void output.push(chunk);
  const end = await runProcessGroup(argv, {
    cwd: '/',
    env: { PATH: searchPath(), LANG: 'C.UTF-8', ...env },
    timeoutMs,
    onStdout: keep,
    onStderr: keep,
  });
  return {
    end: end.end,
    succeeded: end.end === 'exited' && end.exitCode === 0,
    how: `ended with ${end.end === 'exited' ? `exit code ${end.exitCode}` : end.end}`,
    said: end.end === 'not_started' ? end.cause.message : Buffer.concat(output).toString().trim(),
  };
}
