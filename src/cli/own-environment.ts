import { existsSync } from 'node:fs';

/** The environment of this process, with the settings of `.env` in this folder, if there is one. */
export function ownEnvironment(): Readonly<Record<string, string | undefined>> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** The environment of this process alone, for commands in clones, where others may have written a `.env`. */
export function givenEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
