import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';
import type { TestProject } from 'vitest/node';
import { textAssets } from '../../scripts/text-assets.mjs';
import { action } from '../action/workflow.ts';
import { sharedFolder } from './run-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The command line as one file with its packages, which starts twice as fast. */
    app: string;
    action: ActionBundle;
  }
}

/** The Action as `npm run build` builds it, in a folder without packages, or that of a release that is tried. */
interface ActionBundle {
  /** The file that `action.yml` names. */
  readonly main: string;
  /** All files that were written, in its folder. */
  readonly files: readonly BundledFile[];
}

interface BundledFile {
  readonly name: string;
  readonly bytes: number;
  /** What is loaded with it: its own files and modules of Node. */
  readonly imports: readonly string[];
  /** What it loads only when it is needed. */
  readonly laterImports: readonly string[];
}

const cwd = fileURLToPath(new URL('../..', import.meta.url));

/** Builds what sessions run, once for all projects: in folders as in a checkout, with what agents are there. */
export default async function build(project: TestProject): Promise<void> {
  // Each project loads this file anew, in one process.
  const shared: typeof globalThis & Shared = globalThis;
  shared.builtForTests ??= buildAll();
  const { app, actionBundle } = await shared.builtForTests;
  project.provide('app', app);
  project.provide('action', actionBundle);
}

interface Shared {
  builtForTests?: ReturnType<typeof buildAll>;
}

async function buildAll(): Promise<{ readonly app: string; readonly actionBundle: ActionBundle }> {
  await symlink(join(cwd, 'agents'), join(sharedFolder(), 'agents'));
  const [app, actionBundle] = await Promise.all([buildApp(), buildAction()]);
  return { app, actionBundle };
}

async function buildApp(): Promise<string> {
  const file = join(sharedFolder(), 'dist', 'cli', 'coxswain.mjs');
  const input = join(cwd, 'src/cli/coxswain.ts');
  const options = { platform: 'node', tsconfig: false, logLevel: 'silent' } as const;
  const bundle = await rolldown({ cwd, input, plugins: [textAssets()], ...options });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}

async function buildAction(): Promise<ActionBundle> {
  const { COXSWAIN_RELEASE: released } = process.env;
  if (released !== undefined) return { main: join(released, action.runs.main), files: [] };
  const loaded = [await loadConfig(join(cwd, 'rolldown.config.mjs'))].flat();
  const configs = loaded.filter((one) => typeof one === 'object');
  const folder = dirname(action.runs.main);
  const config = configs.find(({ output }) => [output].flat().some((one) => one?.dir === folder));
  if (config === undefined) throw new Error(`nothing builds ${action.runs.main}`);
  const { output, ...input } = config;
  const dir = join(sharedFolder(), folder);
  const bundle = await rolldown({ ...input, cwd });
  const { output: written } = await bundle.write({ ...output, dir });
  await bundle.close();
  const chunks = written.filter((file) => file.type === 'chunk');
  return { main: join(sharedFolder(), action.runs.main), files: chunks.map(bundledFile) };
}

function bundledFile({ fileName, code, imports, dynamicImports }: OutputChunk): BundledFile {
  return { name: fileName, bytes: Buffer.byteLength(code), imports, laterImports: dynamicImports };
}
