import type { CommandRow } from '../rule.ts';

/** Commands after which commits that others have, or that nothing else refers to, are gone. */
export const rewritesHistory: readonly CommandRow[] = [
  {
    command: 'git push',
    with: '-f --force --force-with-lease --mirror --delete -d --prune +* :*',
    without: '-n --dry-run',
  },
  { command: 'git reset', with: '--hard' },
  { command: 'git filter-branch|filter-repo' },
  { command: 'git-filter-repo|bfg' },
  { command: 'java *bfg*.jar' },
  { command: 'git branch', with: '-D -f --force' },
  { command: 'git lfs migrate import|export' },
  { command: 'git update-ref', with: '-d' },
  { command: 'git reflog expire|delete', without: '-n --dry-run' },
  { command: 'git stash drop|clear' },
  { command: 'gh repo delete' },
];

/** Commands that print or change secrets without naming a file. */
export const printsSecrets: readonly CommandRow[] = [
  { command: 'gh auth token' },
  { command: 'gh auth status', with: '-t --show-token' },
  { command: 'gh secret set|delete|remove' },
  { command: 'git credential fill|get' },
  { command: 'git-credential-*' },
  { command: 'gcloud auth print-access-token|print-identity-token' },
  { command: 'gcloud auth application-default print-access-token' },
  { command: 'az account get-access-token' },
  { command: 'aws secretsmanager get-secret-value|put-secret-value' },
  { command: 'aws ssm get-parameter*', with: '--with-decryption' },
  { command: 'aws configure get|set *secret*|*session_token*' },
  { command: 'aws configure export-credentials' },
  { command: 'aws ecr|ecr-public get-login-password' },
  { command: 'aws sts get-session-token|assume-role*' },
  { command: 'gcloud secrets versions access' },
  { command: 'az keyvault secret show|set|download' },
  { command: 'npm config get|set *_auth*|*_password*' },
  { command: 'bw get|list' },
  { command: 'doppler secrets' },
  { command: 'vercel env pull' },
  { command: 'fly|flyctl secrets set|unset|import' },
  { command: 'kubectl|oc get secret|secrets|secret/*', with: '-o --output' },
  { command: 'vault kv get|put|delete' },
  { command: 'vault read|write|delete' },
  { command: 'op read|inject' },
  { command: 'op item get' },
  { command: 'pass show|insert|edit|rm' },
  { command: 'security find-generic-password|find-internet-password|dump-keychain' },
  { command: 'gpg', with: '--export-secret-keys --export-secret-subkeys' },
  { command: 'sops', with: '-d --decrypt' },
  { command: 'sops decrypt|edit' },
  { command: 'ansible-vault view|decrypt|edit' },
  { command: 'heroku auth:token' },
];

/** Commands that let more people or programs in; `chmod` is read by its mode. */
export const loosensPermissions: readonly CommandRow[] = [
  { command: 'setcap', without: '-r' },
  { command: 'setenforce 0|permissive' },
  { command: 'visudo', without: '-c --check' },
];

/** Commands that change what runs by itself. */
export const changesAutomation: readonly CommandRow[] = [
  { command: 'gh workflow enable|disable' },
  { command: 'git config … core.hookspath *' },
];
