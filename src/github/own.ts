import type { Seals } from '../seal/seals.ts';

/** Who we are on GitHub: what we wrote ourselves is told apart from everybody else's by these two. */
export interface Own {
  /** The login of our comments, such as `coxswain[bot]`. */
  readonly login: string;
  /**
   * The App that creates our check runs. It is known by its id, because people choose names and slugs. A
   * workflow's token does not know the id of its App; GitHub reserves the slug `github-actions` for it.
   */
  readonly app: { readonly id: number } | { readonly slug: string };
  /** The App's, which prove what people have said through its doors; the Action has none. */
  readonly seals?: Seals | undefined;
}

/** Whether we created a check run, by the `app` that GitHub names in it. */
export function isOwnCheck({ app }: { readonly app?: AppData | null }, own: Own): boolean {
  return app !== null && app !== undefined && isOurApp(app, own);
}

/** Whether this is the App that we are. */
export function isOurApp(app: AppData, own: Own): boolean {
  return 'id' in own.app ? app.id === own.app.id : app.slug === own.app.slug;
}

interface AppData {
  readonly id: number;
  readonly slug?: string | undefined;
}

/** Whether we have a workflow's own token: GitHub starts no workflow for what is done with it. */
export function hasWorkflowToken({ app }: Own): boolean {
  return 'slug' in app && app.slug === 'github-actions';
}

/** An App writes as `slug[bot]`. */
export function slugOf(login: string): string {
  return login.replace(/\[bot\]$/, '');
}
