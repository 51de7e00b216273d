import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { z } from 'zod';
import type { SetupForm } from './setup-form.ts';

const appYml = z.strictObject({
  description: z.string(),
  public: z.boolean(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

export type AppYml = z.output<typeof appYml>;

/** The `manifest` field of GitHub's page for new Apps. */
export interface Manifest extends AppYml {
  readonly name: string;
  readonly url: string;
  readonly hook_attributes: { readonly url: string; readonly active: true };
  readonly redirect_url: string;
}

export async function readAppYml(path: string): Promise<AppYml> {
  try {
    return appYml.parse(load(await readFile(path, 'utf8'), { maxAliases: 0 }));
  } catch (cause) {
    throw new Error(`could not read the App's manifest from ${path}`, { cause });
  }
}

export function manifestFor(form: SetupForm, app: AppYml, redirectUrl: string): Manifest {
  return {
    ...app,
    name: form.name,
    url: form.homepage,
    hook_attributes: { url: form.webhook, active: true },
    redirect_url: redirectUrl,
  };
}
