import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { textAssets } from '../../scripts/text-assets.mjs';
import { temporaryFolder } from './agent-fixture.ts';

/** Somebody without any rights, who need not have an entry in the list of users. */
export const otherUser = '54321';

/** A program that runs shell lines in the sandbox, for an App that is not started by root. */
export async function sandboxProgram(): Promise<string> {
  const entry = join(temporaryFolder(), 'entry.ts');
  writeFileSync(entry, programText);
  const build = await rolldown({ input: entry, platform: 'node', tsconfig: false, plugins: [textAssets()] });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return output[0].code;
}

const source = (path: string): string => JSON.stringify(resolve('src/agent', path));

const programText = `
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { probeSandbox } from ${source('index.ts')};
import { openNetwork, usualKit } from ${source('port/attempt-network.ts')};
import { makeFolders } from ${source('sandbox/folders.ts')};
import { runSandboxed } from ${source('port/sandboxed-run.ts')};
const root = mkdtempSync('/tmp/coxswain-user-');
try {
  const sandbox = await probeSandbox('required', { limits: { processes: 80 } });
  const folders = await makeFolders(root);
  mkdirSync(folders.workspace);
  const paths = { ...folders, readable: {}, freeBytesBefore: 0 };
  await sandbox.prepare(paths);
  const state = { settings: { agent: { use: 'scripted' }, network: { setup: ['open'], agent: [], verifiers: [] } } };
  const network = await openNetwork({ state, kit: usualKit, folders, sandboxed: true });
  for (const line of process.argv.slice(2)) {
    const context = { ...paths, network, sandbox, workRoot: root, agentEnvironment: {} };
    const confinement = { namespaces: process.env.NAMESPACES === 'yes' };
    const program = { argv: ['sh', '-c', line], use: 'setup', command: line, timeoutMs: 20_000, confinement };
    const { stdout, stderr } = await runSandboxed(context, program, new AbortController().signal);
    console.log(stdout + stderr);
  }
  await network.close();
  console.log(network.takeBlocked().map(({ host, command }) => host + ' wanted by ' + command).join());
} finally {
  rmSync(root, { recursive: true });
}
`;

/** What lines of shell print in the sandbox of an App that another user than root has started. */
export async function saidToOtherUser(
  lines: readonly string[],
  { namespaces = false }: { readonly namespaces?: boolean } = {},
): Promise<string> {
  // By standard input, because this user cannot read our folders.
  const program = [process.execPath, '--input-type=module', '-', ...lines];
  const ids = ['--reuid', otherUser, '--regid', otherUser, '--clear-groups'];
  return execFileSync('setpriv', [...ids, ...program], {
    input: await sandboxProgram(),
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env['PATH'], NAMESPACES: namespaces ? 'yes' : 'no' },
  });
}
