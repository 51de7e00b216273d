import { randomBytes } from 'node:crypto';
import { createApp } from './apps.ts';
import type { Context } from './context.ts';
import { Input } from './input.ts';
import type { Level, Permissions } from './model.ts';
import { HttpError } from './responses.ts';

/** Creates an App from the manifest in a posted form; returns the redirect URL, which carries the code. */
export function appFromManifest(context: Context, form: URLSearchParams, url: URL): string {
  const manifest = new Input(JSON.parse(form.get('manifest') ?? '{}'));
  const code = codeForManifest(context, manifest, /^\/organizations\/([^/]+)/.exec(url.pathname)?.[1]);
  const target = new URL(manifest.requiredText('redirect_url'));
  target.searchParams.set('code', code);
  const state = url.searchParams.get('state') ?? form.get('state');
  if (state !== null) target.searchParams.set('state', state);
  return target.href;
}

/** The code that `POST /app-manifests/{code}/conversions` accepts once. */
function codeForManifest(context: Context, manifest: Input, organization: string | undefined): string {
  const person = context.store.data.accounts.find((account) => account.type === 'User');
  const owner = organization === undefined ? person : context.store.accountNamed(organization);
  if (!owner) throw new HttpError(404, 'Not Found');
  const name = manifest.text('name') ?? `app-${randomBytes(3).toString('hex')}`;
  const app = createApp(context, {
    owner: owner.login,
    name,
    slug: name.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    webhook_url: manifest.object('hook_attributes')?.text('url') ?? '',
    webhook_secret: randomBytes(20).toString('hex'),
    permissions: permissionsIn(manifest),
    events: manifest.texts('default_events') ?? [],
  });
  const code = randomBytes(20).toString('hex');
  context.store.data.manifest_codes[code] = app.id;
  return code;
}

function permissionsIn(manifest: Input): Permissions {
  const wanted = manifest.object('default_permissions');
  const levels: readonly Level[] = ['read', 'write', 'admin'];
  return Object.fromEntries(
    Object.keys(wanted?.fields ?? {}).map((name) => [name, wanted?.oneOf(name, levels) ?? 'read']),
  );
}
