/** A parsed command. The grammar of each lives in `commands/<name>.ts`. */
export type Command =
  | { readonly type: 'run'; readonly task: string }
  | { readonly type: 'steer'; readonly prompt: string; readonly now: boolean }
  | { readonly type: 'approve'; readonly sha: string | null; readonly despite: readonly string[] }
  | { readonly type: 'reject'; readonly reason: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'retry' }
  | { readonly type: 'verify' }
  | { readonly type: 'resume' }
  | { readonly type: 'status' }
  | { readonly type: 'diff'; readonly path: string | null; readonly full: boolean }
  | { readonly type: 'logs'; readonly verifier: string | null }
  | { readonly type: 'why' }
  | { readonly type: 'help' }
  | Misspoken;

/** A known command with invalid arguments; the reply shows its usage. */
export interface Misspoken {
  readonly type: 'misspoken';
  readonly name: CommandName;
  readonly problem: string;
}

export type CommandName = Exclude<Command['type'], 'misspoken'>;
export type CommandOf<N extends CommandName> = Extract<Command, { type: N }>;
