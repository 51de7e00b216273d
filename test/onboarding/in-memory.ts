import type { RepositoryFiles } from '../../src/onboarding/ecosystems/ecosystem.ts';

/** A repository that is nothing but these files. */
export function inMemory(files: Readonly<Record<string, string>>): RepositoryFiles {
  return { files: async () => Object.keys(files), read: async (path) => files[path] };
}

export function manifest(scripts: Readonly<Record<string, string>>, more: object = {}): string {
  return JSON.stringify({ name: 'x', scripts, ...more });
}
