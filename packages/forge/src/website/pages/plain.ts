import { gitOf } from '../../context.ts';
import { notFound } from '../../responses.ts';
import { isPull } from '../../store.ts';
import { comparisonIn } from '../comparison.ts';
import { below } from '../pattern.ts';
import { commitCalled } from '../refs.ts';
import { rawResponse } from '../response.ts';
import type { PageRoute, Params, RepositoryVisit } from '../visit.ts';

/** Differences as text, as `git diff` and `git format-patch` write them. */
export const plainPages: readonly PageRoute[] = [
  ...kinds('/pull/:number', pullRange),
  ...kinds('/commit/:sha', commitRange),
  ...kinds('/compare/*range', compareRange),
];

interface Range {
  from: string;
  to: string;
}

type RangeOf = (visit: RepositoryVisit, params: Params) => Promise<Range>;

function kinds(path: string, rangeOf: RangeOf): PageRoute[] {
  const route = (kind: 'diff' | 'patch'): PageRoute => ({
    pattern: below(`${path}.${kind}`),
    of: 'repository',
    async show(visit, params) {
      const { from, to } = await rangeOf(visit, params);
      const git = gitOf(visit.context, visit.repository);
      const args = kind === 'diff' ? ['diff', from, to] : ['format-patch', '--stdout', `${from}..${to}`];
      return rawResponse(await git.bytes(args));
    },
    deeds: {},
  });
  return [route('diff'), route('patch')];
}

async function pullRange({ context, repository }: RepositoryVisit, { number }: Params): Promise<Range> {
  const issue = context.store.issue(repository, Number(number));
  if (!issue || !isPull(issue)) throw notFound();
  const { base_sha, head_sha } = issue.pull;
  const fork = await gitOf(context, repository).mergeBase(base_sha, head_sha);
  return { from: fork ?? base_sha, to: head_sha };
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function commitRange(visit: RepositoryVisit, { sha = '' }: Params): Promise<Range> {
  const to = await commitCalled(visit, sha);
  if (!to) throw notFound();
  const parent = await gitOf(visit.context, visit.repository).attempt([
    'rev-parse',
    '--verify',
    '--quiet',
    `${to}^`,
  ]);
  return { from: parent.code === 0 ? parent.stdout.trim() : emptyTree, to };
}

async function compareRange(visit: RepositoryVisit, { range = '' }: Params): Promise<Range> {
  const comparison = await comparisonIn(visit, range);
  if ('created' in comparison) throw notFound();
  return { from: comparison.forkSha, to: comparison.headSha };
}
