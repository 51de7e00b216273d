import { commandRule } from '../command-rule.ts';
import { readsSecrets } from '../paths.ts';

/** Of variables of the environment. */
const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PRIVATE_KEY|API_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;

/** Commands that read, print or change secrets. */
export const touchesSecrets = commandRule(
  'touches-secrets',
  `
  gh auth token
  gh auth status with -t --show-token
  gh|fly|flyctl secret|secrets set|unset|delete|remove|import
  git credential fill|get
  git-credential-*
  gcloud|az … print-access-token|print-identity-token|get-access-token
  gcloud secrets versions access
  az keyvault secret show|set|download
  aws secretsmanager|configure|ecr|ecr-public|sts get-secret-value|put-secret-value|export-credentials|get-login-password|get-session-token|assume-role*
  aws ssm get-parameter* with --with-decryption
  aws|npm configure|config get|set *secret*|*session_token*|*_auth*|*_password*
  bw|pass|vault|op|sops|ansible-vault get|list|show|insert|edit|read|write|delete|inject|decrypt|view|rm
  vault|op kv|item get|put|delete
  doppler secrets
  vercel env pull
  kubectl|oc get secret|secrets|secret/* with -o --output
  security find-generic-password|find-internet-password|dump-keychain
  gpg with --export-secret-keys --export-secret-subkeys
  sops with -d --decrypt
  heroku auth:token
`,
  (command) =>
    readsSecrets(command) ||
    (command.program === 'printenv' && command.args.some((argument) => secretName.test(argument))),
);
