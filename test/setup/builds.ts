import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
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

/** The Action as `npm run build` builds it, in a folder without packages. */
interface ActionBundle {
  /** The file that `action.yml` names. */
  readonly main: string;
  /** All files that were written. */
  readonly files: readonly string[];
  /** The modules it imports. */
  readonly imports: readonly string[];
}

const cwd = fileURLToPath(new URL('../..', import.meta.url));

/** Builds what sessions run, once for all of them: in folders as in a checkout, with what agents are there. */
export default async function build(project: TestProject): Promise<void> {
  await symlink(join(cwd, 'agents'), join(sharedFolder(), 'agents'));
  const [app, actionBundle] = await Promise.all([buildApp(), buildAction()]);
  project.provide('app', app);
  project.provide('action', actionBundle);
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
  const loaded = [await loadConfig(join(cwd, 'rolldown.config.mjs'))].flat();
  const configs = loaded.filter((one) => typeof one === 'object');
  const config = configs.find(({ output }) => [output].flat().some((one) => one?.file === action.runs.main));
  if (config === undefined) throw new Error(`nothing builds ${action.runs.main}`);
  const { output, ...input } = config;
  const main = join(sharedFolder(), action.runs.main);
  const bundle = await rolldown({ ...input, cwd });
  const { output: written } = await bundle.write({ ...output, file: main });
  await bundle.close();
  return {
    main,
    files: written.map(({ fileName }) => fileName),
    imports: written.flatMap((file) =>
      file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : [],
    ),
  };
}
