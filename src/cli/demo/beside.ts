import type { State } from '../../steering/state.ts';

interface Beside {
  readonly url: string;
  readonly text: string;
}

/** The App's page of what a page of the forge shows: an issue, a pull request, its branch or its changes. */
export function pageBeside(path: string, pageUrl: string, runs: readonly State[]): Beside {
  const [named, kind] = /^\/[^/]+\/[^/]+\/(pull|issues)\/\d+/.exec(path) ?? [];
  if (named !== undefined)
    return {
      url: pageUrl + named,
      text: `Coxswain's page of this ${kind === 'pull' ? 'pull request' : 'issue'}`,
    };
  const shown = runs.find((state) => isOf(state, path));
  if (shown === undefined) return { url: `${pageUrl}/`, text: "Coxswain's page" };
  const { owner, repo, number } = shown.run;
  return { url: `${pageUrl}/${owner}/${repo}/pull/${number}`, text: `Coxswain's page of #${number}` };
}

/** A file or the history of its branch, or what led to its newest commit. */
function isOf({ run, head }: State, path: string): boolean {
  const repository = `/${run.owner}/${run.repo}/`;
  if (!path.startsWith(repository)) return false;
  return `${path}/`.includes(`/${run.branch}/`) || path.endsWith(`...${head}`);
}
