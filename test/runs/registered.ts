import type { Forge } from '@coxswain/forge';

/** The App as registered on the forge, installed on one repository. Its webhooks go nowhere. */
export function registered({ seed }: Forge, repository: string) {
  const app = seed.createApp({
    slug: 'coxswain',
    owner: 'acme',
    webhook_url: '',
    webhook_secret: 'nobody listens',
    permissions: {
      contents: 'write',
      pull_requests: 'write',
      issues: 'write',
      checks: 'write',
      metadata: 'read',
    },
    events: [],
  });
  return { id: app.id, privateKey: app.private_key, installation: seed.installApp(app, [repository]) };
}
