/** How setup ended. JSON, so snake_case. */
export type SetupResult = Readonly<
  | {
      outcome: 'registered';
      app_id: number;
      slug: string;
      install_url: string;
      env_path: string;
      key_path: string;
    }
  /** The App exists on GitHub, but its secrets could not be saved. `problem` says why and what to do. */
  | { outcome: 'unsaved'; problem: string; settings_url: string }
  | { outcome: 'expired' }
  | { outcome: 'stopped' }
>;

type Registered = Extract<SetupResult, { outcome: 'registered' }>;

/** One thing to do after setup. */
export interface Step {
  /** A sentence without its full stop. */
  readonly text: string;
  /** The command to run, or the address to open. */
  readonly run?: string;
  readonly open?: string;
}

/** What is left to do once the App is registered, in order: it draws its first check when it is installed. */
export function nextSteps({ env_path, key_path, install_url }: Registered): readonly Step[] {
  return [
    {
      text:
        `Keep a copy of ${env_path} and ${key_path}, and keep both secret: ` +
        'without the ledger key in the first, open runs have to start over',
    },
    { text: 'Start the App', run: 'npm run serve' },
    {
      text: 'While it runs, install it on a repository: it then draws the first check, which rules can name',
      open: install_url,
    },
    { text: 'Make a branch rule that requires the check Coxswain with this App as its source' },
    { text: 'See whether anything is missing', run: 'coxswain doctor' },
  ];
}
