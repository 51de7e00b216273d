import { readFileSync } from 'node:fs';
import { placeholder } from '../onboarding/setup-files.ts';

interface Package {
  readonly version: string;
  /** Only a release names where it was made. */
  readonly repository?: { readonly url: string };
}

/** Our own package.json is two folders above both the source and what is built from it. */
export function ownPackage(): Package {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const read: Package = JSON.parse(text);
  return read;
}

/** What a workflow names to run the release that is installed: `acme/coxswain@v1`. */
export function releaseOf({ version, repository }: Package): string {
  const [, name] = /([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? [];
  return name === undefined ? placeholder : `${name}@v${version.split('.', 1)[0]}`;
}
