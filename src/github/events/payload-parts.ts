import { z } from 'zod';
import type { Account, Repository } from './github-event.ts';

/** The parts that many payloads share, reduced to what we need. */

export const account = z
  .object({ login: z.string(), id: z.number(), type: z.string().optional() })
  .transform(
    ({ login, id, type }): Account => ({ login, id, bot: type === 'Bot' || login.endsWith('[bot]') }),
  );

/** Deleted accounts are null; GitHub displays them as `ghost`. */
export const author = account.nullable().transform((known) => known ?? ghost);

const ghost: Account = { login: 'ghost', id: 0, bot: false };

/** Who opened an issue or a pull request. */
export const opener = author
  .optional()
  .transform((known): { readonly opener?: string } => (known === undefined ? {} : { opener: known.login }));

const repository = z
  .object({
    id: z.number(),
    name: z.string(),
    owner: z.object({ login: z.string() }),
    default_branch: z.string(),
    clone_url: z.string(),
    private: z.boolean(),
  })
  .transform(({ owner, ...rest }): Repository => ({ ...rest, owner: owner.login }));

/** The fields of every payload about a repository. */
export const envelope = z.object({
  repository,
  installation: z.object({ id: z.number() }).optional(),
  sender: account,
});

export const labels = z
  .array(z.object({ name: z.string() }))
  .transform((all) => all.map(({ name }) => name))
  .default([]);

/** Text that GitHub sends as null when it is empty. */
export const text = z
  .string()
  .nullish()
  .transform((known) => known ?? '');

/** The App that wrote something on behalf of its author, if one did. */
export const writingApp = z
  .object({ id: z.number(), slug: z.string().default('') })
  .nullish()
  .transform((known) => known ?? null);

/** What an edit changed; one delivery can carry several changes. */
export const changes = z
  .object({
    body: z.object({ from: text }).optional(),
    base: z.object({ ref: z.object({ from: z.string() }) }).optional(),
  })
  .optional();

export const pull = z
  .object({
    number: z.number(),
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }).nullish() }),
    base: z.object({ ref: z.string(), repo: z.object({ id: z.number() }).optional() }),
    user: opener,
    labels,
  })
  .transform(({ number, head, base, user, labels: names }) => ({
    ...user,
    number,
    head_ref: head.ref,
    head_sha: head.sha,
    base_ref: base.ref,
    labels: names,
    // A fork that no longer exists is null; where nothing is said of it, it is no fork.
    ...(head.repo !== undefined && base.repo && head.repo?.id !== base.repo.id && { from_fork: true }),
  }));

/** The members of every `GitHubEvent` about a repository. */
export function originOf({ repository: where, installation, sender }: z.infer<typeof envelope>) {
  return { repository: where, installation_id: installation?.id ?? null, sender };
}
