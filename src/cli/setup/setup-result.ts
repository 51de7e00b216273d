/** How setup ended. JSON, so snake_case. */
export type SetupResult =
  | {
      readonly outcome: 'registered';
      readonly app_id: number;
      readonly slug: string;
      readonly install_url: string;
      readonly env_path: string;
      readonly key_path: string;
    }
  /** The App exists on GitHub, but its secrets could not be saved. `problem` says why and what to do. */
  | { readonly outcome: 'unsaved'; readonly problem: string; readonly settings_url: string }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'stopped' };
