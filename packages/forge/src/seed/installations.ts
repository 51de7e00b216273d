import { actionsToken } from '../actions-token.ts';
import { coverRepositories, createApp, installApp, setPermissions } from '../apps.ts';
import type { Context } from '../context.ts';
import { repositoryCalled } from './lookup.ts';
import type { Seed } from './seed.ts';

type Installing =
  | 'createApp'
  | 'setWebhook'
  | 'installApp'
  | 'addToInstallation'
  | 'setInstallationPermissions'
  | 'actionsToken'
  | 'revokeTokens';

/** Apps, their webhooks, and what they may do where. */
export function seedInstallations(context: Context): Pick<Seed, Installing> {
  const named = (names: string[]) => names.map((name) => repositoryCalled(context, name));
  return {
    createApp: (wanted) => createApp(context, wanted),
    setWebhook({ id }, { url, secret }) {
      const app = context.store.app(id);
      app.webhook_url = url ?? app.webhook_url;
      app.webhook_secret = secret ?? app.webhook_secret;
    },
    installApp: ({ id }, names) => installApp(context, context.store.app(id), named(names)).id,
    addToInstallation: (id, names) =>
      coverRepositories(context, context.store.installation(id), named(names)),
    setInstallationPermissions: (id, permissions) =>
      setPermissions(context, context.store.installation(id), permissions),
    actionsToken: (name, permissions, minutes = 60) =>
      actionsToken(context, repositoryCalled(context, name), { permissions, minutes }),
    revokeTokens(id) {
      const { data } = context.store;
      data.tokens = data.tokens.filter(({ installation_id }) => installation_id !== id);
    },
  };
}
