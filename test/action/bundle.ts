import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';
import { action } from './workflow.ts';

export interface Bundle {
  /** The file that `action.yml` names, alone in a folder without packages. */
  readonly main: string;
  /** All files that were written. */
  readonly files: readonly string[];
  /** What it asks Node for. */
  readonly imports: readonly string[];
  remove(): void;
}

/** Builds the Action as `npm run build` does, to a folder of its own. */
export async function buildAction(): Promise<Bundle> {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const loaded = [await loadConfig(join(cwd, 'rolldown.config.mjs'))].flat();
  const configs = loaded.filter((one) => typeof one === 'object');
  const config = configs.find(({ output }) => [output].flat().some((one) => one?.file === action.runs.main));
  if (config === undefined) throw new Error(`nothing builds ${action.runs.main}`);
  const { output, ...input } = config;
  const dir = mkdtempSync(join(tmpdir(), 'coxswain-action-'));
  const main = join(dir, action.runs.main);
  const build = await rolldown({ ...input, cwd });
  const written = await build.write({ ...output, file: main });
  await build.close();
  return {
    main,
    imports: written.output.flatMap((file) =>
      file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : [],
    ),
    files: written.output.map(({ fileName }) => fileName),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
