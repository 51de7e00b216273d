import { constants } from 'node:fs';
import { access, lstat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Setup was asked for something it does not do, such as replacing a file. Nothing has been changed yet. */
class SetupRefused extends Error {
  override name = 'SetupRefused';
}

/** Checked before an App is registered, because GitHub shows its secrets only once. */
export async function refuseExisting(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (await exists(path)) {
      throw new SetupRefused(
        `${path} already exists and is never overwritten; move it or choose another file`,
      );
    }
    await access(dirname(path), constants.W_OK).catch((cause: unknown) => {
      throw new SetupRefused(`could not write ${path}: its folder is missing or read-only`, { cause });
    });
  }
}

/** Writes a file that only its owner can read; fails when the path exists, even as a symbolic link. */
export async function writeSecret(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw new Error(`could not write ${path}`, { cause });
  }
}

/** Lines that Node's `--env-file` and dotenv both read the same way. */
export function envText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');
}

function quoted(value: string): string {
  if (/^[\w./:@%+-]*$/.test(value)) return value;
  if (/[\n\r]/.test(value)) throw new Error('could not write a setting: its value has more than one line');
  const quote = ["'", '"', '`'].find((each) => !value.includes(each));
  if (quote === undefined)
    throw new Error('could not write a setting: its value contains every kind of quote');
  return `${quote}${value}${quote}`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false; // what lstat throws has a code
    throw new Error(`could not check whether ${path} exists`, { cause });
  }
}
