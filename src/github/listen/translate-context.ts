import type { Octokit } from '../octokit/connect.ts';

/** What translating needs besides the event. */
export interface TranslateContext {
  readonly octokit: Octokit;
  /** The label that starts a run (`labels.trigger`). */
  readonly trigger: string;
  /** Who we are: what we write ourselves is never a command. */
  readonly own: { readonly login: string };
}
