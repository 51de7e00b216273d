import type { PullIssue } from '../model.ts';
import { gitOf, type Site } from '../site.ts';
import { listChanges } from './commits.ts';

export interface ChangeStats {
  commits: number;
  additions: number;
  deletions: number;
  changed_files: number;
}

export interface Mergeability {
  mergeable: boolean | null;
  state: 'clean' | 'dirty' | 'draft' | 'unknown';
}

/** Answers depend on the two commits only, so they are worked out once per pair. */
const known = new Map<string, Promise<ChangeStats>>();
const merges = new Map<string, Promise<boolean>>();

export function changeStats(site: Site, issue: PullIssue): Promise<ChangeStats> {
  const key = `${site.dir} ${issue.repository_id} ${issue.pull.base_sha} ${issue.pull.head_sha}`;
  return remembered(known, key, () => countChanges(site, issue));
}

/** Whether the head merges into the base branch as it is now; GitHub says nothing of closed ones. */
export async function mergeability(site: Site, issue: PullIssue): Promise<Mergeability> {
  if (issue.state === 'closed') return { mergeable: null, state: 'unknown' };
  const git = gitOf(site, site.store.repository(issue.repository_id));
  const base = await git.ref(`refs/heads/${issue.pull.base_ref}`);
  if (!base) return { mergeable: null, state: 'unknown' };
  const key = `${site.dir} ${issue.repository_id} ${base} ${issue.pull.head_sha}`;
  const mergeable = await remembered(merges, key, async () => {
    const result = await git.attempt(['merge-tree', '--write-tree', base, issue.pull.head_sha]);
    return result.code === 0;
  });
  if (!mergeable) return { mergeable, state: 'dirty' };
  return { mergeable, state: issue.pull.draft ? 'draft' : 'clean' };
}

/** Where the head left the base, or the base itself when they have nothing in common. */
export async function forkPoint(site: Site, issue: PullIssue): Promise<string> {
  const git = gitOf(site, site.store.repository(issue.repository_id));
  return (await git.mergeBase(issue.pull.base_sha, issue.pull.head_sha)) ?? issue.pull.base_sha;
}

async function countChanges(site: Site, issue: PullIssue): Promise<ChangeStats> {
  const git = gitOf(site, site.store.repository(issue.repository_id));
  const { base_sha, head_sha } = issue.pull;
  const [count, files] = await Promise.all([
    git.run(['rev-list', '--count', `${base_sha}..${head_sha}`]),
    forkPoint(site, issue).then((from) => listChanges(git, from, head_sha)),
  ]);
  return {
    commits: Number(count),
    additions: sum(files.map((file) => file.additions)),
    deletions: sum(files.map((file) => file.deletions)),
    changed_files: files.length,
  };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function remembered<Value>(memory: Map<string, Promise<Value>>, key: string, work: () => Promise<Value>) {
  const value = memory.get(key) ?? work();
  memory.set(key, value);
  value.catch(() => memory.delete(key));
  return value;
}
