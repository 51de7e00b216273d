import type { Clone, Fixture, TestRepository } from './fixture.ts';

export interface OpenedPull {
  repository: TestRepository;
  clone: Clone;
  /** The head commit. */
  sha: string;
  at: TestRepository['at'] & { pull_number: number };
  number: number;
  node_id: string;
}

interface Wanted {
  /** Who opens it; default: the App. */
  by?: string;
  private?: boolean;
  draft?: boolean;
  /** What is done in the repository before. */
  first?: (repository: TestRepository) => Promise<void>;
}

/** A pull request from branch `topic`, with one commit that adds a.txt, into `main`. */
export async function openPull(fixture: Fixture, wanted: Wanted = {}): Promise<OpenedPull> {
  const repository = await fixture.repository({ private: wanted.private ?? false });
  await wanted.first?.(repository);
  const clone = await fixture.clone(repository);
  await clone.git('checkout', '--quiet', '-b', 'topic');
  const sha = await clone.commit('Add a', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  const client = wanted.by === undefined ? repository.bot : fixture.person(wanted.by);
  const asked = { ...repository.at, head: 'topic', base: 'main', title: 'Add a' };
  const { data } = await client.pulls.create({ ...asked, draft: wanted.draft ?? false });
  const at = { ...repository.at, pull_number: data.number };
  return { repository, clone, sha, at, number: data.number, node_id: data.node_id };
}
