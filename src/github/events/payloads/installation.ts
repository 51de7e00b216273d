import { z } from 'zod';
import type { GitHubEventOf } from '../github-event.ts';
import { account } from './parts.ts';

const repositories = z
  .array(z.object({ id: z.number(), name: z.string(), full_name: z.string(), private: z.boolean() }))
  .transform((all) =>
    all.map(({ full_name, ...rest }) => ({ ...rest, owner: full_name.split('/')[0] ?? full_name })),
  )
  .default([]);

const payload = z.object({
  installation: z.object({ id: z.number(), account: z.object({ login: z.string() }) }),
  repositories,
  repositories_added: repositories,
  sender: account,
});

/** The App was installed, or was given more repositories. */
export function readInstallation(raw: unknown): GitHubEventOf<'installed'>[] {
  const { installation, sender, ...given } = payload.parse(raw);
  return [
    {
      kind: 'installed',
      installation_id: installation.id,
      sender,
      account: installation.account.login,
      repositories: [...given.repositories, ...given.repositories_added],
    },
  ];
}
