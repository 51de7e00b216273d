import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { probeSandbox } from '../../../src/agent/index.ts';
import type { AttemptNetwork } from '../../../src/agent/port/attempt-network.ts';
import { runSandboxed } from '../../../src/agent/port/sandboxed-run.ts';
import { foldersSeen, makeFolders } from '../../../src/agent/sandbox/folders.ts';
import type { Egress, EgressOptions } from '../../../src/network/egress.ts';
import { egress, temporaryFolder } from '../egress-fixture.ts';

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** The folders of an attempt in the sandbox that it gets, and what programs in it say. */
export interface Inside {
  readonly egress: Egress;
  readonly home: string;
  /** Puts files into the home folder. */
  put(files: Readonly<Record<string, string | Buffer>>): void;
  /** Runs a shell command in the home folder. */
  sh(command: string): Promise<Said>;
}

const sandbox = await probeSandbox('preferred');

export async function inside(options: Partial<EgressOptions> = {}): Promise<Inside> {
  const folders = await makeFolders(temporaryFolder());
  const { root, home, workspace } = folders;
  mkdirSync(workspace);
  const seen = foldersSeen({ folders, sandboxed: sandbox.kind !== 'none' });
  const opened = await egress({ folder: folders.sockets, home: seen.home, ...options });
  const put: Inside['put'] = (files) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), content);
    }
  };
  put(opened.homeFiles);
  const paths = { ...folders, readable: {}, freeBytesBefore: 0 };
  const context = { ...paths, network: through(opened), sandbox, workRoot: root, agentEnvironment: {} };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const sh = async (command: string): Promise<Said> => {
    // What was put there since belongs to us.
    await sandbox.prepare(paths);
    const argv = ['sh', '-c', `cd "$HOME" && { ${command}\n}`];
    const program = { argv, use: 'verifiers', command, timeoutMs: 300_000 } as const;
    const result = await runSandboxed(context, program, stop.signal);
    const { stdout, stderr } = result;
    return { stdout, stderr, exitCode: result.end === 'exited' ? result.exitCode : null };
  };
  return { egress: opened, home, put, sh };
}

/** The network of an attempt with one egress for everything. */
function through(opened: Egress): AttemptNetwork {
  return {
    egress: () => opened,
    modelVariables: {},
    notices: [],
    takeBlocked: () => [],
    spent: () => null,
    spentAtEnd: () => null,
    exhausted: () => null,
    onExhausted: () => undefined,
    limitedUntil: () => null,
    onLimited: () => undefined,
    modelFault: () => null,
    onKeyRefused: () => undefined,
    close: async () => undefined,
  };
}
