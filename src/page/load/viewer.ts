import type { Account, Person, Role } from '../../steering/person.ts';
import type { GitHubReader } from './github-reader.ts';
import { loaded } from './loaded.ts';

/** The person whose account the page reads and comments with. */
export interface Viewer {
  /** Null if GitHub does not say. */
  readonly account: Account | null;
  /** In the repository that is shown; null if GitHub does not say. */
  readonly role: Role | null;
}

interface NamedRepository {
  readonly owner: string;
  readonly repo: string;
}

const maxAgeMs = 60_000;

export async function loadAccount(reader: GitHubReader): Promise<Account | null> {
  const account = await loaded(
    'Your name',
    reader.get('GET /user', {}, { maxAgeMs }).then(({ data: { login, id } }) => ({ login, id })),
  );
  return 'value' in account ? account.value : null;
}

export async function loadViewer(reader: GitHubReader, repository: NamedRepository): Promise<Viewer> {
  const [account, role] = await Promise.all([
    loadAccount(reader),
    loaded('Your role', loadRole(reader, repository)),
  ]);
  return { account, role: 'value' in role ? role.value : null };
}

/** GitHub reports it with a repository, also to people who may not look up anybody's role. */
async function loadRole(reader: GitHubReader, { owner, repo }: NamedRepository): Promise<Role | undefined> {
  const { data } = await reader.get('GET /repos/{owner}/{repo}', { owner, repo }, { maxAgeMs });
  const { permissions } = data;
  if (permissions === undefined) return undefined;
  const held = strongestFirst.find(([flag]) => permissions[flag]);
  return held?.[1] ?? 'none';
}

const strongestFirst = [
  ['admin', 'admin'],
  ['maintain', 'maintain'],
  ['push', 'write'],
  ['triage', 'triage'],
  ['pull', 'read'],
] as const;

/** The viewer as the author of a command; where GitHub does not say the role, with the strongest. */
export function personOf({ account, role }: Viewer): Person {
  return { login: account?.login ?? '', id: account?.id ?? 0, role: role ?? 'admin', bot: false };
}
