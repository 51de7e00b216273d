import type { Forge } from '@coxswain/forge';

/** Registers the App on the forge and installs it on one repository, without webhooks. */
export function registered({ seed }: Forge, repository: string) {
  const app = seed.createApp({
    slug: 'coxswain',
    owner: 'acme',
    webhook_url: '',
    webhook_secret: 'unused',
    permissions: {
      contents: 'write',
      pull_requests: 'write',
      issues: 'write',
      checks: 'write',
      statuses: 'write',
      metadata: 'read',
      members: 'read',
    },
    events: [],
  });
  return { id: app.id, privateKey: app.private_key, installation: seed.installApp(app, [repository]) };
}
