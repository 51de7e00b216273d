import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type Account,
  type App,
  type Data,
  emptyData,
  type Installation,
  type Issue,
  type Label,
  type PullIssue,
  type Repository,
  type Team,
} from './model.ts';

/** The forge's data, with lookups by id that must succeed (a miss is a bug of the forge). */
export class Store {
  readonly data: Data;

  constructor(data: Data = emptyData()) {
    this.data = data;
  }

  id(): number {
    this.data.next_id += 1;
    return this.data.next_id;
  }

  account(id: number): Account {
    return found(this.data.accounts, id, 'account');
  }

  app(id: number): App {
    return found(this.data.apps, id, 'app');
  }

  installation(id: number): Installation {
    return found(this.data.installations, id, 'installation');
  }

  team(id: number): Team {
    return found(this.data.teams, id, 'team');
  }

  repository(id: number): Repository {
    return found(this.data.repositories, id, 'repository');
  }

  accountNamed(login: string): Account | undefined {
    return this.data.accounts.find((account) => same(account.login, login));
  }

  repositoryNamed(owner: string, name: string): Repository | undefined {
    return this.data.repositories.find(
      (repository) => same(repository.name, name) && same(this.account(repository.owner_id).login, owner),
    );
  }

  /** Also by a name that it had before it was renamed. */
  repositoryOnceNamed(owner: string, name: string): Repository | undefined {
    const current = this.repositoryNamed(owner, name);
    if (current) return current;
    const former = this.data.former_names.findLast(
      (one) => same(one.name, name) && same(this.account(one.owner_id).login, owner),
    );
    return former && this.repository(former.repository_id);
  }

  issue(repository: Repository, number: number): Issue | undefined {
    return this.data.issues.find((issue) => issue.repository_id === repository.id && issue.number === number);
  }

  issues(repository: Repository): Issue[] {
    return this.data.issues.filter((issue) => issue.repository_id === repository.id);
  }

  pulls(repository: Repository): PullIssue[] {
    return this.issues(repository).filter(isPull);
  }

  labelsOn(issue: Issue): Label[] {
    const { labels } = this.repository(issue.repository_id);
    return labels.filter(({ id }) => issue.label_ids.includes(id));
  }

  save(file: string): void {
    writeFileSync(file, JSON.stringify(this.data), { mode: 0o600 });
  }
}

export function isPull(issue: Issue): issue is PullIssue {
  return issue.pull !== null;
}

/**
 * Reads the saved data, which may lack newer lists; without a file the forge is empty. Rules are not carried
 * over from the form they had before there were rulesets.
 */
export function openStore(file: string): Store {
  if (!existsSync(file)) return new Store();
  // `save` wrote the file, perhaps in an older version.
  const saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<Data>;
  const repositories = (saved.repositories ?? []).map(withLists);
  return new Store({ ...emptyData(), ...saved, repositories });
}

/** A repository that an older forge saved has no lists of rules and keys, whatever its type says. */
function withLists(saved: Repository): Repository {
  const { rulesets = [], protections = [], deploy_keys = [] }: Partial<Repository> = saved;
  return { ...saved, rulesets, protections, deploy_keys };
}

function found<Thing extends { id: number }>(things: Thing[], id: number, what: string): Thing {
  const thing = things.find((one) => one.id === id);
  if (thing === undefined) throw new Error(`the forge has no ${what} ${id}`);
  return thing;
}

function same(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
