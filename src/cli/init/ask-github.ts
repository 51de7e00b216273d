import { connect } from '../../github/octokit/connect.ts';
import { type ActionsSettings, readActionsSettings } from '../../github/read/actions-settings.ts';
import type { Clone } from '../terminal/clone.ts';
import { UsageError } from '../terminal/exit.ts';
import { givenEnvironment, ownAccess, webFrom } from '../terminal/own-environment.ts';

/** What GitHub shows of a repository to the person who sets it up. */
export interface OnGitHub extends ActionsSettings {
  /** Whether they may push to it. */
  readonly may_push: boolean;
  readonly has_issues: boolean;
}

/**
 * Asks with the token that the person has set for this host. Throws `UsageError` if there is none, or if only
 * the clone says which host it is.
 */
export async function askGitHub({ web, name }: Pick<Clone, 'web' | 'name'>): Promise<OnGitHub> {
  const variables = givenEnvironment();
  requireTrusted(web, variables);
  const access = ownAccess(web, variables, { option: '--check', command: 'coxswain init --check' });
  const octokit = connect(access);
  const [owner = '', repo = ''] = name.split('/');
  const { data } = await octokit.rest.repos.get({ owner, repo }).catch((cause: unknown) => {
    throw new Error(`could not look at ${web}/${name}`, { cause });
  });
  const settings = await readActionsSettings(octokit, { owner, name: repo });
  return { ...settings, may_push: data.permissions?.push ?? false, has_issues: data.has_issues };
}

/** Whoever made a clone says where its origin is: a token goes only to a host that its owner has named. */
function requireTrusted(web: string, variables: ReturnType<typeof givenEnvironment>): void {
  if (web === 'https://github.com' || web === webFrom(variables)) return;
  const host = web.replace(/^https?:\/\//, '');
  const what = `--check would send your token to ${web}, which only the remote origin of this clone names`;
  throw new UsageError(`${what}: if that is your GitHub, set GH_HOST=${host}`);
}
