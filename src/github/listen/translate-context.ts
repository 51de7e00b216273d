import type { Octokit } from '../octokit/connect.ts';

/** What `translate` needs in addition to the event. */
export interface TranslateContext {
  readonly octokit: Octokit;
  /** The label that starts a run (`labels.trigger`). */
  readonly trigger: string;
  /** Our own login: what we write ourselves is never a command. */
  readonly own: { readonly login: string };
}
