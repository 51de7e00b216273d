import type { Context } from '../context.ts';
import type { Account, Repository, Team } from '../model.ts';

/** The repository `owner/name`; a wrong name is a mistake of the test or demo. */
export function repositoryCalled(context: Context, name: string): Repository {
  const [owner = '', short = ''] = name.split('/');
  const repository = context.store.repositoryNamed(owner, short);
  if (!repository) throw new Error(`there is no repository ${name}`);
  return repository;
}

export function accountCalled(context: Context, login: string): Account {
  const account = context.store.accountNamed(login);
  if (!account) throw new Error(`there is no account ${login}`);
  return account;
}

/** The team `organization/slug`. */
export function teamCalled(context: Context, name: string): Team {
  const [organization = '', slug] = name.split('/');
  const { id } = accountCalled(context, organization);
  const team = context.store.data.teams.find((one) => one.organization_id === id && one.slug === slug);
  if (!team) throw new Error(`there is no team ${name}`);
  return team;
}
