import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeSandbox, type Sandbox } from '../../src/agent/index.ts';
import { openNetwork, usualKit } from '../../src/agent/port/attempt-network.ts';
import { runSandboxed, type SandboxContext } from '../../src/agent/port/sandboxed-run.ts';
import { makeFolders } from '../../src/agent/sandbox/folders.ts';
import type { State } from '../../src/steering/state/state.ts';
import { type Figure, figureOf, type Round } from '../measure/figure.ts';
import { startPart } from '../measure/part.ts';
import type { PackagesReady, PackagesSettings } from './packages.ts';

type Print = (line: string) => void;

const rounds = 7;
const packages = 100;

/** What the sandbox and its network cost a program, compared with the same program as it is. */
export async function benchSandbox(print: Print): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const settings: PackagesSettings = { folder, count: packages };
  const registry = await startPart<PackagesReady, null, null>('packages', settings);
  try {
    const sandbox = await probeSandbox('required');
    const off = await probeSandbox('off');
    const { url, project } = registry.ready;
    const measure = async (line: string): Promise<readonly Round[]> => {
      const timed: Round[] = [];
      for (let round = 0; round < rounds; round++) {
        const floor = await timeOf(line, { sandbox: off, url, project });
        const ours = await timeOf(line, { sandbox, url, project });
        timed.push({ ours, floor });
        print(`${line}: ${ours.toFixed(0)} ms, without a sandbox ${floor.toFixed(0)} ms`);
      }
      return timed;
    };
    return [
      figureOf(await measure('sleep 1'), {
        name: 'sandbox_verifier',
        what: 'a verifier of one second in the sandbox',
        unit: 'ms',
      }),
      figureOf(await measure('npm ci --no-audit --no-fund'), {
        name: 'sandbox_npm_ci',
        what: `\`npm ci\` of ${packages} packages in the sandbox, through its network`,
        unit: 'ms',
      }),
    ];
  } finally {
    await registry.end();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Conditions {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly project: Readonly<Record<string, string>>;
}

/** Milliseconds of the program alone, without making and removing its folders. */
async function timeOf(line: string, conditions: Conditions): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const { context, close } = await contextIn(root, conditions);
  try {
    const program = { argv: ['sh', '-c', line], use: 'setup', command: line, timeoutMs: 120_000 } as const;
    const env = conditions.sandbox.kind === 'none' ? { npm_config_registry: conditions.url } : {};
    const began = performance.now();
    const result = await runSandboxed(context, { ...program, env }, new AbortController().signal);
    const took = performance.now() - began;
    if (result.end === 'exited' && result.exitCode === 0) return took;
    throw new Error(`${line} ended with ${result.end}: ${result.stderr}`);
  } finally {
    await close();
    await rm(root, { recursive: true, force: true });
  }
}

async function contextIn(
  root: string,
  { sandbox, url, project }: Conditions,
): Promise<{ readonly context: SandboxContext; close(): Promise<void> }> {
  const folders = await makeFolders(root);
  await mkdir(folders.workspace);
  const sandboxed = sandbox.kind !== 'none';
  const host = 'packages.example';
  // In the sandbox the lock file names the registry as people do, and it is reached through us.
  for (const [name, content] of Object.entries(project))
    await writeFile(
      join(folders.workspace, name),
      sandboxed ? content.replaceAll(url, `https://${host}`) : content,
    );
  const registry = { host, kind: 'npm', secret: 'token', upstream: url } as const;
  const kit = { ...usualKit, registries: [registry] };
  // Of a state nothing else is looked at.
  const settings = { network: { setup: ['registries'], agent: [], verifiers: [] } };
  const state = { settings } as unknown as State;
  const network = await openNetwork({
    ...{ state, kit: sandboxed ? kit : usualKit, folders, sandboxed },
    limits: () => ({ minutes: 60 }),
  });
  const paths = { ...folders, readable: {}, freeBytesBefore: 0 };
  await sandbox.prepare(paths);
  const context = { ...paths, network, sandbox, workRoot: root, agentEnvironment: {} };
  return { context, close: () => network.close() };
}
